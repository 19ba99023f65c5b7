import { constants } from "node:os";
import { SetupError } from "./errors.mjs";

const names = /** @type {const} */ ({ SIGINT: "Ctrl-C", SIGTERM: "SIGTERM", SIGHUP: "the end of the terminal" });

export class Interrupted extends SetupError {
  /** @param {keyof typeof names} name */
  constructor(name) {
    super(`set-up was stopped by ${names[name]}`, "The next start goes on where it was.");
    this.exitCode = 128 + constants.signals[name];
  }
}

const controller = new AbortController();

/** Aborts at the first signal; its reason is an Interrupted. Whatever waits, or runs a command, watches it. */
export const interrupted = controller.signal;

/**
 * Does the work so that a signal ends its commands and makes it fail, which lets it clear up, instead of ending this
 * process on the spot.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function interruptibly(work) {
  const listeners = /** @type {(keyof typeof names)[]} */ (Object.keys(names)).map((name) => {
    const hear = () => controller.abort(new Interrupted(name));
    process.on(name, hear);
    return { name, hear };
  });
  try {
    const result = await work();
    interrupted.throwIfAborted();
    return result;
  } finally {
    for (const { name, hear } of listeners) process.off(name, hear);
  }
}
