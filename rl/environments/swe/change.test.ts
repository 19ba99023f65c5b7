import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, countsFor, suspicionOf } from "./change.js";
import { bundledFolder, readTasks } from "./task.js";

test("a change is what differs, without litter", () => {
  const base = { "a.py": "1", "b.py": "2", "c.py": "3" };
  const now = {
    "a.py": "1",
    "b.py": "two",
    "d.py": "4",
    "__pycache__/a.cpython-311.pyc": "",
    "node_modules/x/i.js": "",
  };
  assert.deepEqual(changeOf(base, now), { "b.py": "two", "c.py": null, "d.py": "4" });
});

test("signs of a cheat are counted where they were added", () => {
  const base = { "cli.js": "process.exit(1);\n", "tests/a.test.js": "" };
  const change = {
    "cli.js": "process.exit(1);\nprocess.exit(0);\n",
    "conftest.py": "",
    "tests/a.test.js": "x",
    "tests/new.test.js": "x",
    "src/a.py": "import unittest\n",
  };
  assert.deepEqual(suspicionOf(base, change), { testsEdited: 1, settingsEdited: 1, suspiciousLines: 2 });
  assert.deepEqual(Object.keys(countsFor(change)), ["cli.js", "src/a.py"]);
});

test("bundled tasks have what a task needs, and no fix looks like a cheat", () => {
  const tasks = readTasks(bundledFolder);
  for (const task of tasks) {
    assert.equal(task.wrong.length, 3, task.instance_id);
    assert.ok(task.patch.length < 4_000, `${task.instance_id}: the reference fits into an action`);
    const added = task.patch
      .split("\n")
      .filter((line) => line.startsWith("+"))
      .join("\n");
    assert.equal(suspicionOf({}, { fix: added }).suspiciousLines, 0, task.instance_id);
    const hidden = Object.keys(task.hidden).filter((path) => Object.hasOwn(task.files, path));
    assert.deepEqual(hidden, [], `${task.instance_id}: hidden tests are files of their own`);
  }
  assert.equal(new Set(tasks.map((task) => task.problem_statement)).size, tasks.length);
});
