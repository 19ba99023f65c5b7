import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findCheckpointOf } from "./job.js";

const cwd = mkdtempSync(join(tmpdir(), "eval-"));
after(() => rmSync(cwd, { recursive: true }));

test("a checkpoint is found by its folder, or by the name or folder of its run, with the run's configuration", () => {
  const run = join(cwd, "runs", "one");
  const folder = join(run, "checkpoint");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), "{}");
  assert.deepEqual(findCheckpointOf("one", cwd), { folder, config: undefined });
  writeFileSync(join(run, "config.yaml"), "");
  const found = { folder, config: join(run, "config.yaml") };
  for (const named of ["one", "runs/one", run, "runs/one/checkpoint", folder])
    assert.deepEqual(findCheckpointOf(named, cwd), found);
  assert.throws(() => findCheckpointOf("two", cwd), /two is no checkpoint, and no run that has one/);
});
