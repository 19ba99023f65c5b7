import { ActorsError } from "../../../runtime/index.js";
import type { Op, OpResult } from "../../sandbox/session.js";
import type { EnvContext } from "../environment.js";
import type { Files } from "./task.js";

/** All that these environments ask of a sandbox. */

/** Where the repository lies; the sandbox's own paths begin at its parent. */
export const repoRoot = "/workspace/repo";

export interface Ran {
  stdout: string;
  stderr: string;
  /** Null when it was killed: by `signal`, or since its time was over. */
  exitCode: number | null;
  timedOut: boolean;
  truncated: boolean;
}

const encode = new TextEncoder();
const decode = new TextDecoder();
/** Larger files are no part of a change. */
const maxFileBytes = 1 << 20;
const maxFiles = 2_000;
const ownMs = 20_000;

/** Ends all that runs in the sandbox, empties it, and writes files, at paths below `/workspace`. */
export async function renew(files: Files, context: EnvContext): Promise<void> {
  const written = Object.entries(files).map(([path, content]) => ({ path, content: encode.encode(content) }));
  done(await context.sandbox.run([{ reset: { files: written } }], { signal: context.signal }));
}

/** A command of the agent's, or of ours: whatever it does is in the answer. */
export async function bash(script: string, context: EnvContext, timeoutMs: number, stdin = ""): Promise<Ran> {
  return exec(["/bin/bash", "-c", script], context, timeoutMs, stdin);
}

export async function exec(argv: string[], context: EnvContext, timeoutMs: number, stdin = ""): Promise<Ran> {
  const op: Op = { exec: { argv, timeoutMs, stdin: encode.encode(stdin), maxOutput: maxFileBytes } };
  const [ran] = done(await context.sandbox.run([op], { signal: context.signal }));
  const { data, stderr, exitCode, timedOut, truncated, signal } = ran!;
  const killed = signal !== "" || timedOut;
  return {
    ...{ stdout: decode.decode(data), stderr: decode.decode(stderr) },
    ...{ exitCode: killed ? null : exitCode, timedOut, truncated },
  };
}

/** The text of a file of the agent's, below `/workspace`; null where there is none. */
export async function readText(path: string, { sandbox, signal }: EnvContext): Promise<string | null> {
  const [found] = await sandbox.run([{ read: path }], { signal });
  return found?.ok ? decode.decode(found.data) : null;
}

/** Whether it could be written. */
export async function writeText(path: string, text: string, { sandbox, signal }: EnvContext): Promise<boolean> {
  const [written] = await sandbox.run([{ write: { path, content: encode.encode(text) } }], { signal });
  return written?.ok === true;
}

/**
 * One commit of all that lies in the repository: no history, no remote, no hook, no reflog. Gives its hash.
 * @throws ActorsError, not retryable, when a program that its work needs is not in the sandbox
 */
export async function commitAll(program: Program, context: EnvContext): Promise<string> {
  const who = "-c user.name=base -c user.email=base@localhost -c commit.gpgsign=false -c core.logAllRefUpdates=false";
  const script = `cd ${repoRoot} || exit ${noFolder}
    for program in git ${program}; do command -v $program || exit ${noProgram}; done
    case $(${program} --version) in ${newEnough[program]}) ;; *) ${program} --version; exit ${tooOld} ;; esac
    export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
    git init -q -b main --template= && git add -A && git ${who} commit -q -m base &&
    git config user.name agent && git config user.email agent@localhost && git rev-parse HEAD`;
  const { stdout, stderr, exitCode } = await bash(script, context, ownMs);
  const said = stdout.trim().split("\n");
  if (exitCode === 0) return said.at(-1)!;
  if (exitCode === noProgram) throw missing(said[0] === "" ? "git" : program);
  if (exitCode === tooOld) throw missing(program, `the ${program} in the sandbox is ${said.at(-1)}`);
  if (exitCode === noFolder)
    throw new ActorsError("UNAVAILABLE", `there is no ${repoRoot} in this sandbox`, {
      retryable: false,
      hint: "These tasks need the bubblewrap backend: apt-get install bubblewrap.",
    });
  throw new ActorsError("UNAVAILABLE", `the repository cannot be committed: ${stderr.trim()}`);
}

const [noProgram, noFolder, tooOld] = [90, 91, 92];

/** What runs the tests of a language, and the versions that do, as bash matches them: Node 20 or newer, Python 3.10 or newer. */
export type Program = "node" | "python3";
const newEnough: Record<Program, string> = { node: "v2?.*|v[3-9]?.*", python3: "'Python 3.'[1-9]?.*" };

const missing = (name: string, what = `there is no ${name} in the sandbox`) =>
  new ActorsError("UNAVAILABLE", `${what}, and this task needs ${needs[name] ?? name}`, {
    retryable: false,
    hint: `Install it under /usr (apt-get install ${name === "node" ? "nodejs" : name}): a sandbox does not see programs in a home folder.`,
  });

const needs: Record<string, string> = { node: "Node 20 or newer", python3: "Python 3.10 or newer" };

/** The regular files of the repository as the agent left them, without `.git`. What is too large or too many is left out. */
export async function readRepo(context: EnvContext): Promise<Files> {
  const find = ["/usr/bin/find", repoRoot, "-path", `${repoRoot}/.git`, "-prune", "-o", "-type", "f"];
  const { stdout } = await exec([...find, "-size", `-${maxFileBytes}c`, "-printf", "%P\\0"], context, ownMs);
  let paths = stdout.split("\0").slice(0, -1).slice(0, maxFiles).sort();
  const files: Record<string, string> = {};
  while (paths.length > 0) {
    const ops = paths.map((path) => ({ read: `repo/${path}` }));
    const results = await context.sandbox.run(ops, { signal: context.signal });
    for (const [i, { ok, data }] of results.entries()) if (ok) files[paths[i]!] = decode.decode(data);
    paths = paths.slice(results.length); // the last one failed: it was gone, or could not be read
  }
  return files;
}

/** These operations are ours, and cannot fail by what the agent did. */
function done(results: OpResult[]): OpResult[] {
  const failed = results.find((result) => !result.ok);
  if (failed) throw new ActorsError("UNAVAILABLE", `the sandbox refuses what is asked of it: ${failed.error}`);
  return results;
}
