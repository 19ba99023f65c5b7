import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning, ranAt } from "../../runtime/cli/processes.js";
import { ActorsError } from "../../runtime/index.js";
import { onDisk } from "./disk.js";

/**
 * One trainer a run: two would write the same ledger. The file names the process, and that of one that has ended counts for nothing.
 * @returns what gives the run back
 * @throws ActorsError UNAVAILABLE naming the process that trains it
 */
export async function lockRun(run: string): Promise<() => Promise<void>> {
  const path = join(run, "trainer.pid");
  for (;;) {
    try {
      await onDisk(path, () => writeFile(path, `${process.pid} ${Date.now()}\n`, { flag: "wx" }));
      return () => rm(path, { force: true });
    } catch (error) {
      if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== "EEXIST") throw error;
    }
    const [pid, at] = readFileSync(path, "utf8").split(" ").map(Number);
    if (pid && isRunning(pid) && ranAt(pid, at!)) {
      throw new ActorsError("UNAVAILABLE", `process ${pid} trains ${run} already`, {
        hint: "Wait for it, or stop it with `actors down`.",
        retryable: false,
      });
    }
    await rm(path, { force: true });
  }
}
