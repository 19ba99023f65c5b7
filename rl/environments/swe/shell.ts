import type { EnvContext } from "../environment.js";
import type { Ground } from "./ground.js";
import { bash } from "./workspace.js";

export const defaultCommandMs = 30_000;
export const maxCommandMs = 120_000;
/** Characters of output that an agent reads, the middle left out. */
const shown = 12_000;

/** Folder and exported variables go on from command to command, as in one shell; what runs in the background does too. */
const keep = "/tmp/.shell";
const script = (command: string, { root, before }: Ground) => `cd ${root}
${before}
[ -f ${keep} ] && . ${keep} 2>/dev/null
trap 'status=$?; { export -p; printf "cd %q\\n" "$PWD"; } > ${keep}; exit $status' EXIT
eval ${quoted(command)}`;

/** Runs a command as an agent sees it: what it printed, and how it ended when that was not well. */
export async function shell(
  command: string,
  ground: Ground,
  context: EnvContext,
  timeoutMs = defaultCommandMs,
): Promise<string> {
  const { stdout, stderr, exitCode, timedOut } = await bash(script(command, ground), context, timeoutMs);
  const said = [stdout, stderr].filter((text) => text !== "").map((text) => text.replace(/\n$/, ""));
  if (timedOut) said.push(`[stopped after ${timeoutMs / 1_000} s]`);
  else if (exitCode === null) said.push("[killed]");
  else if (exitCode !== 0) said.push(`[exit code ${exitCode}]`);
  return shortened(said.join("\n"));
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function shortened(text: string): string {
  if (text.length <= shown) return text;
  const half = shown / 2;
  return `${text.slice(0, half)}\n[${text.length - shown} characters left out]\n${text.slice(-half)}`;
}
