import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ActorsError } from "../../../runtime/index.js";
import type { EnvContext } from "../environment.js";
import { isProtected } from "./change.js";
import { lines } from "./grade.js";
import type { Ground } from "./ground.js";
import { type Resolution, resolutionOf, type TestStatus } from "./resolved.js";
import type { SweRow } from "./rows.js";
import { bash, exec } from "./workspace.js";

/** Where the published images of these data sets have the repository, and the environment that it runs in. */
const conda = "/opt/miniconda3/bin/activate";
export const ofImage: Ground = {
  root: "/testbed",
  workspace: "/testbed",
  before: `[ -f ${conda} ] && . ${conda} testbed`,
};
const { root, before } = ofImage;

const prepareMs = 120_000;
const diffMs = 60_000;
const testsMs = 1_200_000;
const plugin = fileURLToPath(new URL("../../../../rl/environments/swe/runners/pytest_report.py", import.meta.url));
const runner = "/tmp/actors-runner";
const git = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.pager=cat -c safe.directory=*";

/**
 * The repository as one commit with fixed dates: no history, remote, hook or reflog that could tell the fix. What is built
 * and ignored stays. Gives the commit.
 * @throws ActorsError, not retryable, when the image is not what the row says
 */
export async function layOutRow(row: SweRow, context: EnvContext): Promise<string> {
  const script = `cd ${root} && git --version > /dev/null || exit 91
    export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' HOME=/tmp
    ${row.base_commit === null ? "" : `${git} cat-file -e ${row.base_commit}^{commit} || exit 92`}
    ${git} ls-files -z > /tmp/tracked && rm -rf .git && ${git} init -q -b main --template= &&
    xargs -0 -r ${git} add -f --ignore-errors -- < /tmp/tracked && rm -f /tmp/tracked &&
    ${git} -c user.name=base -c user.email=base@localhost -c commit.gpgsign=false -c core.logAllRefUpdates=false commit -q -m base &&
    git -c safe.directory=* config user.name agent && git -c safe.directory=* config user.email agent@localhost && ${git} rev-parse HEAD`;
  const { stdout, stderr, exitCode } = await bash(script, context, prepareMs);
  if (exitCode === 0) return stdout.trim().split("\n").at(-1) ?? "";
  const why =
    exitCode === 91
      ? `there is no ${root}, or no git`
      : exitCode === 92
        ? `its ${root} has no commit ${row.base_commit}`
        : stderr.trim().slice(-500);
  throw new ActorsError("UNAVAILABLE", `${row.instance_id} cannot be played: in ${row.image} ${why}`, {
    retryable: false,
    hint: "It needs a sandbox that starts from its image: environment.sandbox_backend docker or podman.",
  });
}

export interface RowGrade extends Resolution {
  statuses: Record<string, TestStatus>;
  timedOut: boolean;
  /** Files of the change that count, and that do not: tests, and what decides how they run. */
  changed: number;
  dropped: number;
}

/**
 * Reads the agent's change out of its sandbox as a diff against the commit that it began with, puts it into another sandbox of the
 * same image that the agent never had, then the hidden tests, and runs them with pytest. What ran is compared with what had to run out here.
 * @throws ActorsError, retryable, for what is not the change's doing: a sandbox is lost, or pytest did not begin
 */
export async function gradeRow(row: SweRow, context: EnvContext): Promise<RowGrade> {
  await using fresh = await context.sandbox.fork({ anew: true, signal: context.signal });
  const inFresh = { ...context, sandbox: fresh };
  const commit = await layOutRow(row, inFresh); // the same in both
  const { diff, changed, dropped } = await changeOf(row, commit, context);
  const said = changed === 0 ? null : await apply(diff, inFresh);
  if (said !== null)
    return { resolved: false, failToPass: 0, passToPass: 0, statuses: {}, timedOut: false, changed, dropped };
  const wrong = await apply(row.test_patch ?? "", inFresh);
  if (wrong !== null)
    throw new ActorsError("INVALID_ARGUMENT", `the test_patch of ${row.instance_id} does not apply: ${wrong}`);
  const ran = await runTests(row, inFresh);
  return { ...resolutionOf(row, ran.statuses), ...ran, changed, dropped };
}

async function changeOf(row: SweRow, commit: string, context: EnvContext) {
  const diffOf = (options: string, paths: readonly string[]) =>
    bash(
      `cd ${root} && HOME=/tmp ${git} diff --no-ext-diff --no-textconv ${options} ${commit} -- ${paths.map(quoted).join(" ")}`,
      context,
      diffMs,
    );
  await bash(`cd ${root} && HOME=/tmp ${git} add -A`, context, diffMs);
  const { stdout } = await diffOf("--cached --name-only --no-renames -z", []);
  const all = stdout.split("\0").filter((path) => path !== "");
  const ofTests = new Set(pathsOf(row.test_patch ?? ""));
  const counted = all.filter((path) => !isProtected(path) && !ofTests.has(path));
  const diff = counted.length === 0 ? "" : (await diffOf("--cached --binary --no-renames", counted)).stdout;
  return { diff, changed: counted.length, dropped: all.length - counted.length };
}

/** Null, or why not. */
async function apply(diff: string, context: EnvContext): Promise<string | null> {
  const { exitCode, stderr } = await exec(
    ["bash", "-c", `cd ${root} && HOME=/tmp ${git} apply --whitespace=nowarn -`],
    context,
    diffMs,
    diff,
  );
  return exitCode === 0 ? null : stderr.trim();
}

async function runTests(row: SweRow, context: EnvContext): Promise<Pick<RowGrade, "statuses" | "timedOut">> {
  const install = `mkdir -p ${runner} && cat > ${runner}/pytest_report.py`;
  await exec(["bash", "-c", install], context, diffMs, readFileSync(plugin, "utf8"));
  const nonce = randomBytes(16).toString("hex");
  const files = testFilesOf(row).map(quoted).join(" ");
  const script = `cd ${root}; ${before}
    PYTHONPATH=${runner} exec python3 -B -m pytest -p pytest_report -p no:cacheprovider -q --tb=no ${files}`;
  const ran = await exec(["bash", "-c", script], context, testsMs, `${nonce}\n`);
  const said = lines(ran.stdout, nonce);
  if (!said.some(({ ready }) => ready))
    throw new ActorsError("UNAVAILABLE", `the tests of ${row.instance_id} did not begin: ${ran.stderr.slice(-500)}`);
  const statuses: Record<string, TestStatus> = {};
  for (const { name, status } of said) if (name && status) statuses[name] = status;
  return { statuses, timedOut: ran.timedOut };
}

/** Tests are named `path::name` by pytest. */
export const testFilesOf = ({ FAIL_TO_PASS, PASS_TO_PASS }: SweRow) => [
  ...new Set([...FAIL_TO_PASS, ...PASS_TO_PASS].map((id) => id.split("::")[0] ?? "")),
];

/** What a diff touches. */
const pathsOf = (diff: string) => [...diff.matchAll(/^(?:\+\+\+ b|--- a)\/(.+)$/gm)].map(([, path = ""]) => path);

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
