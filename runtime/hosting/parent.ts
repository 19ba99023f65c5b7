import { NativeError, setParentDeathSignal } from "../../native/index.js";

const SIGKILL = 9;

/** Ends this process when the one that forked it is gone, even by SIGKILL, even while this one is busy. */
export function dieWithParent(): void {
  process.once("disconnect", () => process.exit(1));
  if (!process.connected) process.exit(1); // it went while this one loaded its modules
  try {
    setParentDeathSignal(SIGKILL); // the kernel's word, where it has one; the closed channel is the portable way
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
  }
}
