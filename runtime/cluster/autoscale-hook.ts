import { spawn } from "node:child_process";

/** Where the demand goes that the nodes cannot meet. */
export interface AutoscaleHook {
  /** A shell command; it gets the demand as JSON on its standard input. */
  command?: string;
  /** Gets the same by POST. */
  url?: string;
}

const tailBytes = 2_000;
const lastWordsMs = 500;

/** @throws Error that says how it failed; also when the signal aborts, which ends the command and all that is in its process group */
export async function callHook({ command, url }: AutoscaleHook, body: string, signal: AbortSignal): Promise<void> {
  const calls: Promise<void>[] = [];
  if (command !== undefined) calls.push(run(command, body, signal));
  if (url !== undefined) calls.push(post(url, body, signal));
  const failed = (await Promise.allSettled(calls)).find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}

async function post(url: string, body: string, signal: AbortSignal): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body, signal });
  const text = (await answer.text()).slice(-tailBytes);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
}

function run(command: string, body: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "ignore", "pipe"], detached: true });
    let tail = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      tail = (tail + text).slice(-tailBytes);
    });
    child.stdin.on("error", () => {}); // it need not read
    child.stdin.end(body);
    const end = () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {} // it has just ended
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    const over = (error?: Error) => {
      signal.removeEventListener("abort", end);
      child.stderr.destroy(); // what it left running may hold it open
      if (error) reject(error);
      else resolve();
    };
    child.once("error", over);
    child.once("exit", (code, by) => {
      if (code === 0) return over();
      const how = signal.aborted ? "took too long" : code === null ? `ended on ${by}` : `ended with exit code ${code}`;
      const fail = () => over(new Error(`${command} ${how}${tail ? `: ${tail.trimEnd()}` : ""}`));
      if (child.stderr.readableEnded) return fail();
      const timer = setTimeout(fail, lastWordsMs); // its last words may come after its exit, or never end
      child.stderr.once("end", () => {
        clearTimeout(timer);
        fail();
      });
    });
  });
}
