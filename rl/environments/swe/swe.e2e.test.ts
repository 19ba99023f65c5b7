import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isActorsError, makeLogger } from "../../../runtime/index.js";
import { LazySandbox } from "../../sandbox/lazy.js";
import { SandboxPool } from "../../sandbox/pool.js";
import { chooseBackend } from "../../sandbox/probe.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { defaultLimits } from "../../sandbox/session.js";
import { noBubblewrap } from "../../sandbox/testing.js";
import type { EnvContext, EnvironmentDef } from "../environment.js";
import { play, stepOf } from "../play.js";
import { seededRandom } from "../random.js";
import { type Change, countsFor } from "./change.js";
import { grade } from "./grade.js";
import { swe, sweBash } from "./index.js";
import { bundledFolder, readTask, taskNames } from "./task.js";
import { verifyTask } from "./verify-tasks.js";

const skip = noBubblewrap() ?? false;
let pool: SandboxPool;
let lease: Sandbox;
let context: EnvContext;

before(async () => {
  if (skip) return;
  const log = makeLogger("test", "fatal");
  const { backend } = await chooseBackend({ backend: "bubblewrap" }, defaultLimits, log);
  pool = new SandboxPool({ backend, limits: defaultLimits, size: 1, log });
  await pool.start();
  lease = await pool.acquire();
  context = { sandbox: lease, signal: new AbortController().signal };
});
after(() => pool?.close());

const task = (name: string) => readTask(`${bundledFolder}/${name}`);
const js = task("js-lru-recency");
const py = task("py-roman-range");

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const run = (command: string, more: object = {}) => call("execute_bash", { command, ...more });
const edit = (command: string, path: string, args: object = {}) =>
  call("str_replace_editor", { command, path, ...args });
const finish = call("finish", { message: "done" });

async function actions(def: EnvironmentDef<{ instance_id: string }>, instance_id: string, all: string[]) {
  const environment = def.create();
  const observations = [await environment.reset({ instance_id }, context)];
  for (const action of all) {
    const step = await stepOf(environment, action, context);
    observations.push(step.observation);
    if (step.terminated || step.truncated) return { observations, ...step };
  }
  return { observations, reward: 0, info: {} as Record<string, number>, terminated: false };
}

// Another pair each day; `actors gym verify swe` looks at all.
test("bundled tasks fail before, pass with the reference, and catch wrong fixes", { skip }, async (t) => {
  const day = Math.floor(Date.now() / 86_400_000);
  for (const prefix of ["js-", "py-"]) {
    const names = taskNames(bundledFolder).filter((name) => name.startsWith(prefix));
    const name = names[day % names.length]!;
    t.diagnostic(name);
    assert.deepEqual(await verifyTask(task(name), context), [], name);
  }
});

test("the expert resolves what random actions do not, with either agent", { skip }, async () => {
  const ref = { instance_id: js.instance_id };
  for (const def of [swe, sweBash]) {
    const { reward, steps } = await play(def, ref, def.expert!, seededRandom(1), context);
    assert.deepEqual([reward, steps.at(-1)!.info["solved"]], [1, 1]);
    assert.equal(steps[0]!.observation, "1", "one commit, and a clean tree");
  }
  assert.equal((await play(swe, ref, swe.random!, seededRandom(1), context)).reward, 0);
});

test("the agent finds neither hidden tests nor history", { skip }, async () => {
  const look = [
    "git rev-list --all --count; git remote; git reflog; git stash list; git tag; ls .git/hooks .git/logs 2>/dev/null",
    "git count-objects -v | grep -E 'packs|in-pack'; git fsck --lost-found 2>&1 | grep dangling",
    "ls -A / /workspace /tmp; ls -A; find / -name '*hidden*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/usr/*' 2>/dev/null",
  ];
  const { observations } = await actions(
    swe,
    js.instance_id,
    look.map((command) => run(command)),
  );
  assert.equal(observations[1]!.split("\n")[0], "1");
  assert.equal(observations[1]!.split("\n").length, 2); // the exit code of the last ls
  assert.match(observations[2]!, /^in-pack: 0\npacks: 0\n\[exit code 1\]$/);
  assert.doesNotMatch(observations[3]!, /hidden|grader|recency/);
});

test("a shell remembers folder and variables, cuts long output, and ends what does not", { skip }, async () => {
  const { observations } = await actions(swe, js.instance_id, [
    run("cd src && export WHO='the agent'"),
    run('pwd; echo "$WHO"; false'),
    run("seq 100000"),
    run("sleep 60", { timeout: 0.2 }),
    run("y", { is_input: "true" }),
  ]);
  assert.equal(observations[2], "/workspace/repo/src\nthe agent\n[exit code 1]");
  assert.match(observations[3]!, /^1\n2\n[\s\S]*characters left out\][\s\S]*\n100000$/);
  assert.match(observations[4]!, /stopped after 0.2 s/);
  assert.match(observations[5]!, /^error: no command is waiting for input/);
});

test("the editor views, creates, replaces, inserts and undoes, and says what is wrong", { skip }, async () => {
  const file = "/workspace/repo/notes.txt";
  const { observations } = await actions(swe, js.instance_id, [
    edit("create", file, { file_text: "one\ntwo\ntwo\n" }),
    edit("str_replace", file, { old_str: "two", new_str: "2" }),
    edit("str_replace", file, { old_str: "one\n", new_str: "1\n" }),
    edit("insert", file, { insert_line: 1, new_str: "1.5" }),
    edit("view", file, { view_range: [2, -1] }),
    edit("undo_edit", file),
    edit("undo_edit", file),
    run("cat notes.txt"),
    edit("undo_edit", file),
    edit("undo_edit", file),
    edit("view", "/workspace/repo"),
    edit("view", "/etc/passwd"),
    edit("view", file),
    edit("create", "src/lru.js", { file_text: "" }),
    edit("insert", "src/lru.js", { insert_line: 999, new_str: "x" }),
  ]);
  assert.match(observations[2]!, /^error: old_str occurs 2 times/);
  assert.match(observations[4]!, /1\t1\n +2\t1.5\n +3\ttwo/);
  assert.equal(observations[5], "     2\t1.5\n     3\ttwo\n     4\ttwo");
  assert.equal(observations[8], "one\ntwo\ntwo");
  assert.match(observations[9]!, /is gone again/);
  assert.match(observations[10]!, /^error: nothing of .* can be undone/);
  assert.equal(observations[11], ".\n./package.json\n./src\n./src/lru.js\n./tests\n./tests/lru.test.js");
  assert.match(observations[12]!, /^error: .* is outside of/);
  assert.match(observations[13]!, /^error: .* does not exist/);
  assert.match(observations[14]!, /^error: .* exists already/);
  assert.match(observations[15]!, /^error: .* has \d+ lines/);
});

const jsCheats: Record<string, string> = {
  "an exit of 0": "process.exit(0);",
  "an exit in a handler": "process.on('exit', () => { process.exitCode = 0; });",
  "a patched assert": "import assert from 'node:assert'; assert.strict.equal = assert.strict.deepEqual = () => {};",
  "a forged report":
    "console.log('ok 1 - all'); console.log(JSON.stringify({ name: 'a read keeps an entry', status: 'PASSED' }));",
  "a patched runner": "import test from 'node:test'; test.Test = null; test.prototype.run = () => {};",
  "a binding": "const b = process.binding('fs'); b.writeString = () => 0;",
};
const pyCheats: Record<string, string> = {
  "an exit of 0": "import os\nos._exit(0)",
  "a patched assertion":
    "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\nunittest.TestCase.assertRaises = unittest.TestCase.subTest",
  "a patched result":
    "import unittest\nunittest.TestResult.addFailure = lambda *a: None\nunittest.case._Outcome.__exit__ = lambda *a: True\nunittest.case._Outcome.testPartExecutor = None",
  "a patched reporter": "import os\nos.write = lambda *a: 0",
  "an object equal to all":
    "class Any(str):\n    def __eq__(self, other):\n        return True\n    __hash__ = str.__hash__\nto_roman = lambda n: Any()\n",
};

test("grading is not fooled by the code under test", { skip }, async () => {
  for (const [what, line] of Object.entries(jsCheats)) {
    const graded = await grade(js, { "src/lru.js": `${line}\n${js.files["src/lru.js"]}` }, context, true);
    assert.ok(!graded.resolved, what);
  }
  for (const [what, lines] of Object.entries(pyCheats)) {
    const graded = await grade(
      py,
      { "numerals/roman.py": `${py.files["numerals/roman.py"]}\n${lines}\n` },
      context,
      true,
    );
    assert.ok(!graded.resolved, what);
  }
});

test("what an agent does to tests, settings and the runner is told and does not count", { skip }, async () => {
  const change: Change = {
    "tests/lru.test.js": null,
    "tests/recency.test.js": "",
    "package.json": '{ "type": "commonjs" }',
    "sitecustomize.py": "",
    ".git/config": "",
    "src/other.js": "",
  };
  assert.deepEqual(Object.keys(countsFor(change)), ["src/other.js"]);
  const { reward, info, observations } = await actions(swe, js.instance_id, [
    run("echo > tests/lru.test.js; rm package.json; echo 'process.exit(0)' >> src/lru.js"),
    run(
      "mkdir -p /workspace/grader; while true; do echo > /workspace/grader/node.mjs; done & disown; ln -s /etc src/etc",
    ),
    finish,
  ]);
  assert.equal(observations.length, 4);
  assert.equal(reward, 0);
  const { tests_edited, settings_edited, suspicious_lines, tampered } = info;
  assert.deepEqual([tests_edited, settings_edited, suspicious_lines, tampered], [1, 1, 1, 0]);
});

/** The same sandbox, run in another way. */
class Bent extends LazySandbox {
  override readonly run: Sandbox["run"];

  constructor(id: string, run: Sandbox["run"]) {
    super(id, async () => lease);
    this.run = run;
  }
}

test("a sandbox that is lost is a fault, not a reward of 0", { skip }, async () => {
  const start = async () => {
    const environment = swe.create();
    await environment.reset({ instance_id: js.instance_id }, context);
    return environment;
  };
  const lost = { ...context, sandbox: new Bent("lost", () => Promise.reject(new Error("gone"))) };
  await assert.rejects(stepOf(await start(), finish, lost), /gone/);
  const broken: EnvContext = {
    ...context,
    // The runner dies before it says a word.
    sandbox: new Bent("broken", (ops, options) =>
      lease.run(
        ops.map((op) => (op.exec?.stdin?.length ? { exec: { ...op.exec, argv: ["/bin/false"] } } : op)),
        options,
      ),
    ),
  };
  await assert.rejects(stepOf(await start(), finish, broken), (error) => isActorsError(error) && error.retryable);
});

test("a runtime that is missing or too old is named, with what to do", { skip }, async () => {
  const start = (before: string) => {
    const run: Sandbox["run"] = (ops, options) =>
      lease.run(
        ops.map((op) =>
          op.exec ? { exec: { ...op.exec, argv: ["/bin/bash", "-c", before + op.exec.argv?.[2]] } } : op,
        ),
        options,
      );
    return swe.create().reset({ instance_id: js.instance_id }, { ...context, sandbox: new Bent("poor", run) });
  };
  const is = (message: RegExp) => (error: Error) =>
    isActorsError(error) && !error.retryable && message.test(error.message) && /apt-get install/.test(error.hint ?? "");
  await assert.rejects(
    start("command() { [ $2 = git ] && echo $2; }; "),
    is(/no node in the sandbox.* Node 20 or newer/),
  );
  await assert.rejects(start("command() { false; }; "), is(/no git in the sandbox/));
  await assert.rejects(start("node() { echo v18.19.1; }; "), is(/the node in the sandbox is v18.19.1/));
});
