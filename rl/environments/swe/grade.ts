import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ActorsError } from "../../../runtime/index.js";
import type { EnvContext } from "../environment.js";
import { type Change, countsFor } from "./change.js";
import { type Resolution, resolutionOf, type TestStatus } from "./resolved.js";
import type { Files, Language, SweTask } from "./task.js";
import { exec, readText, renew, repoRoot } from "./workspace.js";

export interface Grade extends Resolution {
  statuses: Record<string, TestStatus>;
  /** What each test that did not pass said. */
  why: Record<string, string>;
  /** Signs that the code under test worked on the tests or their runner; each makes the task unresolved. */
  tampered: string[];
  timedOut: boolean;
}

const testFileMs = 30_000;
const runnersFolder = fileURLToPath(new URL("../../../../rl/environments/swe/runners/", import.meta.url));
const runnerPath: Record<Language, string> = { javascript: "grader/node.mjs", python: "grader/python.py" };
const commandOf: Record<Language, string> = {
  javascript: "exec node --test-reporter=/workspace/grader/node.mjs /workspace/grader/node.mjs",
  python: "exec python3 -I -B /workspace/grader/python.py",
};

/**
 * Runs the hidden tests on a change, in a sandbox emptied before each file of tests, with the test files written last. The
 * comparison of what ran with what had to run happens here, outside of it.
 * `hasty` stops at the first file that decides against the change.
 * @throws ActorsError, retryable, for what is not the change's doing: the sandbox is lost, or the runner did not begin
 */
export async function grade(task: SweTask, change: Change, context: EnvContext, hasty = false): Promise<Grade> {
  const tree = treeOf(task, change);
  const graded: Omit<Grade, keyof Resolution> = { statuses: {}, why: {}, tampered: [], timedOut: false };
  for (const file of testFilesOf(task)) {
    await gradeFile(task, file, tree, context, graded);
    if (hasty && !resolutionOf(within(task, file), graded.statuses).resolved) break;
  }
  const { resolved, ...rest } = resolutionOf(task, graded.statuses);
  return { ...graded, ...rest, resolved: resolved && graded.tampered.length === 0 };
}

/** The base, then the change where it may, then the hidden tests. */
function treeOf(task: SweTask, change: Change): Files {
  const files: Record<string, string> = { ...task.files };
  for (const [path, text] of Object.entries(countsFor(change))) {
    if (text === null) delete files[path];
    else files[path] = text;
  }
  return { ...files, ...task.hidden };
}

/** What is expected of one file. */
const within = ({ FAIL_TO_PASS, PASS_TO_PASS }: SweTask, file: string) => {
  const ofFile = (ids: readonly string[]) => ids.filter((id) => id.startsWith(`${file}::`));
  return { FAIL_TO_PASS: ofFile(FAIL_TO_PASS), PASS_TO_PASS: ofFile(PASS_TO_PASS) };
};

const testFilesOf = ({ FAIL_TO_PASS, PASS_TO_PASS }: SweTask) => [
  ...new Set([...FAIL_TO_PASS, ...PASS_TO_PASS].map((id) => id.split("::")[0]!)),
];

type Graded = Omit<Grade, keyof Resolution>;

async function gradeFile(task: SweTask, file: string, tree: Files, context: EnvContext, into: Graded): Promise<void> {
  const runner = runnerPath[task.language];
  const text = readFileSync(`${runnersFolder}${runner.split("/")[1]}`, "utf8");
  const below = Object.entries(tree).map(([path, content]) => [`repo/${path}`, content]);
  await renew(Object.fromEntries([...below, [runner, text]]), context);
  const nonce = randomBytes(16).toString("hex");
  const argv = ["/bin/bash", "-c", `cd ${repoRoot} && ${commandOf[task.language]}`];
  const ran = await exec(argv, context, testFileMs, JSON.stringify({ nonce, file }));
  const said = lines(ran.stdout, nonce);
  if (!said.some(({ ready }) => ready))
    throw new ActorsError("UNAVAILABLE", `the tests of ${task.instance_id} did not begin: ${ran.stderr.slice(-500)}`);
  into.timedOut ||= ran.timedOut;
  let canary: TestStatus | undefined;
  for (const { name, status, why, canary: told } of said) {
    if (told) canary = told;
    if (!name || !status) continue;
    if (name === `canary ${nonce}`) {
      canary = status;
      continue;
    }
    const id = `${file}::${name}`;
    if (into.statuses[id]) into.tampered.push(`${id} was reported twice`);
    into.statuses[id] = status;
    if (why) into.why[id] = why;
  }
  const load = said.find((line) => line.load)?.load;
  if (load) into.why[file] = load;
  // One that ended early has left tests unreported; one that ended well has seen the canary fail.
  if (said.some(({ end }) => end) && canary !== "FAILED")
    into.tampered.push(`in ${file} a test that must fail did not`);
  for (const path of [`repo/${file}`, runner])
    if ((await readText(path, context)) !== (path === runner ? text : tree[file]))
      into.tampered.push(`${path} was changed`);
}

export interface Line {
  ready?: boolean;
  end?: boolean;
  load?: string;
  name?: string;
  status?: TestStatus;
  why?: string;
  canary?: TestStatus;
}

export function lines(stdout: string, nonce: string): Line[] {
  return stdout.split("\n").flatMap((line) => {
    if (!line.startsWith(`${nonce} `)) return [];
    try {
      return [JSON.parse(line.slice(nonce.length + 1)) as Line];
    } catch {
      return []; // cut off
    }
  });
}
