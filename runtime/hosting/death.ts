import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { ActorsError } from "../core/errors.js";

const tailBytes = 2_000;
const hintLines = 3;
/** What a fault in native code ends a process with. */
const faults = new Set(["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGABRT", "SIGSYS"]);

/** How a process ended, and what the system says that may explain it. */
export interface Exit {
  code: number | null;
  signal: string | null;
  /** What it wrote last. */
  tail: string;
  /** Processes that the kernel killed for lack of memory while it ran; undefined where no one counts. */
  oomKills: number | undefined;
}

/** @param what names the process's actor; @param file its log */
export function deathOf(what: string, file: string, exit: Exit): ActorsError {
  const { code, signal, tail, oomKills } = exit;
  const [cause, advice] = causeOf(exit);
  const how = `${signal ? `on ${signal}` : `with exit code ${code}`}${cause && `: ${cause}`}`;
  const last = tail.trimEnd().split("\n").slice(-hintLines).join(" | ");
  const hint = [`Its last lines are in ${file}${last && `: ${last}`}`, advice].filter(Boolean).join("\n");
  return new ActorsError("ACTOR_DIED", `the process of ${what} ended ${how}`, {
    details: { exitCode: code, signal, stderrTail: tail, oomKills },
    hint,
  });
}

function causeOf({ signal, tail, oomKills }: Exit): [cause: string, advice: string] {
  if (/JavaScript heap out of memory/.test(tail)) {
    return [
      "its JavaScript heap was full",
      "Give it more with NODE_OPTIONS=--max-old-space-size=MEGABYTES before `actors up`.",
    ];
  }
  if (signal === "SIGKILL" && oomKills) {
    const kills = oomKills === 1 ? "one process" : `${oomKills} processes`;
    return [
      `probably by the kernel for lack of memory, which killed ${kills} while it ran`,
      "Reserve what it needs with `memoryMb`, or run fewer beside it; `dmesg` names what was killed.",
    ];
  }
  if (signal === "SIGKILL") return ["", "Someone killed it, or it outlived its node's lease."];
  if (signal && faults.has(signal)) return ["a crash in native code", coreAdvice()];
  return ["", ""];
}

/** Where a core dump went, or how to get one. */
function coreAdvice(): string {
  try {
    const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim();
    const limits = readFileSync("/proc/self/limits", "utf8");
    const off = /^Max core file size +0 /m.test(limits) && !pattern.startsWith("|");
    if (off) return "No core was dumped: the limit is 0. `ulimit -c unlimited` before `actors up` allows one.";
    return `A core dump goes to ${pattern} (/proc/sys/kernel/core_pattern).`;
  } catch {
    return "Where core dumps go is up to this system.";
  }
}

/** Processes that the kernel has killed for lack of memory since it started, in any container of this machine. */
export function oomKillsSoFar(): number | undefined {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

export function tailOf(file: string): string {
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, tailBytes));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8");
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
