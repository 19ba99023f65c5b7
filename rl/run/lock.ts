import { join } from "node:path";
import { claim } from "../../runtime/core/claim.js";
import { ActorsError } from "../../runtime/index.js";
import { onDisk } from "./disk.js";

/**
 * One trainer a run: two would write the same ledger.
 * @returns what gives the run back
 * @throws ActorsError UNAVAILABLE naming the process that trains it
 */
export async function lockRun(run: string): Promise<() => void> {
  const path = join(run, "trainer.pid");
  const claimed = await onDisk(path, () => claim(path));
  if (typeof claimed !== "number") return claimed;
  throw new ActorsError("UNAVAILABLE", `process ${claimed} trains ${run} already`, {
    hint: "Wait for it, or stop it with `actors down`.",
    retryable: false,
  });
}
