import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { copyDurably, dropVersions, shardFile, shardsOf } from "./state.js";

const folder = mkdtempSync(join(tmpdir(), "state-test-"));
after(() => rmSync(folder, { recursive: true }));

test("a state is all shards of one number of ranks, and a folder without any is none", async () => {
  const state = join(folder, "whole");
  await assert.rejects(shardsOf(state), /whole holds no state/);
  mkdirSync(state);
  writeFileSync(join(state, "shard-1-of-3.safetensors.new"), "");
  await assert.rejects(shardsOf(state), /holds no state/);
  writeFileSync(shardFile(state, 1, 3), "");
  assert.deepEqual(
    await shardsOf(state),
    [0, 1, 2].map((rank) => shardFile(state, rank, 3)),
  );
});

test("a copy is whole or not there, and one that fails leaves the one before", async () => {
  const to = join(folder, "copies", "shard");
  writeFileSync(join(folder, "source"), "one");
  await copyDurably(join(folder, "source"), to);
  await assert.rejects(copyDurably(join(folder, "missing"), to), /ENOENT/);
  assert.equal(readFileSync(to, "utf8"), "one");
  assert.deepEqual(readdirSync(join(folder, "copies")), ["shard"]);
});

test("old versions go, but not one that is being saved nor those of others", async () => {
  const prefix = join(folder, "run-");
  for (const name of ["state-1", "state-2", "state-3", "weights-2", "weights-latest", "critic-state-1"])
    mkdirSync(prefix + name);
  await dropVersions(prefix, 2, 1);
  const left = readdirSync(folder).filter((name) => name.startsWith("run-"));
  assert.deepEqual(left.sort(), ["run-critic-state-1", "run-state-1", "run-state-3", "run-weights-latest"]);
});
