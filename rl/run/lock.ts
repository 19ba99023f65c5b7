import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "../../runtime/cluster/state.js";
import { ActorsError } from "../../runtime/index.js";

/** Of a process, so that another one with the same number is not taken for it; empty where /proc does not tell, or it has ended. */
function startedAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "" : fields[19]!;
  } catch {
    return "";
  }
}

/**
 * One trainer a run: two would write the same ledger. The file names the process; that of a process that has ended counts for nothing.
 * @returns what gives the run back
 * @throws ActorsError UNAVAILABLE naming the process that trains it
 */
export async function lockRun(run: string): Promise<() => Promise<void>> {
  const path = join(run, "trainer.pid");
  const mine = `${process.pid} ${startedAt(process.pid)}\n`;
  for (;;) {
    try {
      await writeFile(path, mine, { flag: "wx" });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const [pid, started] = readFileSync(path, "utf8").trimEnd().split(" ");
    if (isAlive(Number(pid)) && startedAt(Number(pid)) === started) {
      throw new ActorsError("UNAVAILABLE", `process ${pid} trains ${run} already`, {
        hint: "Wait for it, or stop it with `actors down`.",
        retryable: false,
      });
    }
    await rm(path, { force: true });
  }
}
