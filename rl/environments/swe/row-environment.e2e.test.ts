import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ContainerBackend } from "../../sandbox/container.js";
import { SandboxPool } from "../../sandbox/pool.js";
import { defaultLimits } from "../../sandbox/session.js";
import { log, noEngine, noTestImage } from "../../sandbox/testing.js";
import type { Script } from "../environment.js";
import { play } from "../play.js";
import { seededRandom } from "../random.js";
import { sweRowsEnvironment } from "./row-environment.js";
import type { SweRow } from "./rows.js";

const image = "actors-sandbox-swe-test:1";
const buggy = "def add(a, b):\n    return a - b\n";
const shown = "from calc import add\n\n\ndef test_zero():\n    assert add(1, 0) == 1\n";
const hidden = `${shown}\n\ndef test_sum():\n    assert add(2, 3) == 5\n`;

const git = (cwd: string, ...args: string[]) => {
  const who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
  const ran = spawnSync("git", [...who, ...args], { cwd, encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
};

/** A repository with a bug, its fix in the history, and the two diffs of a row. */
function made(folder: string): SweRow {
  const repo = join(folder, "testbed");
  const write = (path: string, text: string) => writeFileSync(join(repo, path), text);
  mkdirSync(join(repo, "tests"), { recursive: true });
  git(repo, "init", "-q", "-b", "main");
  write("calc.py", buggy);
  write("conftest.py", "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n");
  write("tests/test_calc.py", shown);
  git(repo, "add", "-A");
  process.env["GIT_AUTHOR_DATE"] = process.env["GIT_COMMITTER_DATE"] = "2001-01-01T00:00:00Z";
  git(repo, "commit", "-q", "-m", "base");
  const base_commit = git(repo, "rev-parse", "HEAD").trim();
  write("calc.py", buggy.replace("a - b", "a + b"));
  const patch = git(repo, "diff");
  git(repo, "commit", "-q", "-a", "-m", "the fix");
  write("tests/test_calc.py", hidden);
  const test_patch = git(repo, "diff");
  git(repo, "checkout", "-q", "--", ".");
  git(repo, "checkout", "-q", "-B", "work", base_commit);
  const id = (name: string) => `tests/test_calc.py::${name}`;
  return {
    ...{
      format: "swe-bench",
      instance_id: "t__calc-1",
      repo: "t/calc",
      base_commit,
      branch: null,
      image,
      patch,
      test_patch,
    },
    ...{ problem_statement: "add(2, 3) is -1.", hints_text: "", expected: null },
    ...{ FAIL_TO_PASS: [id("test_sum")], PASS_TO_PASS: [id("test_zero")] },
  };
}

const call = (command: string) =>
  `<tool_call>${JSON.stringify({ name: "execute_bash", arguments: { command } })}</tool_call>`;
const finish = `<tool_call>${JSON.stringify({ name: "finish", arguments: { message: "done" } })}</tool_call>`;
const commands = (...all: string[]): Script =>
  function* () {
    for (const command of all) yield call(command);
    yield finish;
  };

for (const name of ["docker", "podman"] as const) {
  const folder = mkdtempSync(join(tmpdir(), "swe-rows-"));
  const row = made(folder);
  const skip = noEngine(name) ?? noTestImage(name, image, folder) ?? false;
  rmSync(folder, { recursive: true });

  describe(`a row with an image, on ${name}`, { skip }, () => {
    const env = sweRowsEnvironment({ name: "rows", rows: [row] });
    const played = async (script: Script) => {
      const backend = new ContainerBackend(name, { log });
      const wanted = env.image?.({ instance_id: row.instance_id }) ?? null;
      const pool = new SandboxPool({ backend, limits: defaultLimits, size: 2, image: wanted, log });
      await pool.start();
      try {
        await using sandbox = await pool.acquire();
        const context = { sandbox, signal: new AbortController().signal };
        return await play(env, { instance_id: row.instance_id }, script, seededRandom(0), context);
      } finally {
        await pool.close();
      }
    };

    test("the fix resolves it, and nothing of it was in the history", async () => {
      const script: Script = function* (prompt, random) {
        const log = yield call("git log --all --oneline | wc -l; git reflog | wc -l; grep -rl 'a + b' . | wc -l");
        assert.equal(log, "1\n0\n0");
        yield* env.expert!(prompt, random);
      };
      const { reward, steps } = await played(script);
      assert.deepEqual([reward, steps.at(-1)?.info["solved"], steps.at(-1)?.info["files_changed"]], [1, 1, 1]);
    });

    test("tests that the agent changed or skips, and what it left outside of its change, earn nothing", async () => {
      const cheat = "printf 'def test_sum(): pass\\ndef test_zero(): pass\\n' > tests/test_calc.py";
      const hook =
        "printf 'collect_ignore = []\\ndef pytest_runtest_makereport(item, call): raise SystemExit(0)\\n' > conftest.py";
      const shadow = "mkdir -p /tmp/actors-runner && echo x > /tmp/actors-runner/pytest_report.py";
      const { reward, steps } = await played(commands(cheat, hook, shadow, "git commit -qam all"));
      assert.equal(reward, 0);
      assert.deepEqual([steps.at(-1)?.info["files_changed"], steps.at(-1)?.info["files_dropped"]], [0, 2]);
    });
  });
}

test("a row that cannot be played is refused with the reason", () => {
  const row = {
    instance_id: "a",
    format: "swe-bench",
    test_patch: "",
    FAIL_TO_PASS: ["test_x (m.C)"],
    PASS_TO_PASS: [],
  };
  const make = (change: object) => () =>
    sweRowsEnvironment({ name: "rows", rows: [{ ...row, ...change } as unknown as SweRow] });
  assert.throws(make({}), { code: "INVALID_ARGUMENT", message: /row a .*test_x \(m\.C\).*pytest/ });
  assert.throws(make({ format: "r2e", test_patch: null }), { message: /rows of r2e hold no test_patch/ });
});
