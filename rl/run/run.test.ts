import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ActorsError } from "../../runtime/index.js";
import { encodeTrajectory, sampleKey } from "../trajectories/trajectory.js";
import { onDisk } from "./disk.js";
import { RunFolder } from "./folder.js";
import { RunLedger } from "./ledger.js";
import { findRun } from "./read.js";
import { TrajectoryRecorder } from "./recorder.js";
import { findRollout, formatRollout, formatRows, listRollouts } from "./show.js";

const main = fileURLToPath(new URL("../main.js", import.meta.url));
const runsDir = mkdtempSync(join(tmpdir(), "runs-"));
after(() => rmSync(runsDir, { recursive: true }));

const episode = (step: number, sample: number) =>
  encodeTrajectory({
    ...{ key: sampleKey("r", { step, group: 0, sample }, 0), step, group: 0, sample, attempt: 0, seed: 1, task: "{}" },
    ...{
      prompt: "fix it $",
      reward: sample,
      finish: "submitted",
      startedAt: 0,
      seconds: 0.5,
      stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 },
      metrics: { solved: sample },
    },
    turns: [{ start: 1, end: 2, action: "submit", observation: "", reward: sample, potential: 0, summary: false }],
    contexts: [],
    shared: 0,
    tokens_T: Int32Array.of(5, 6),
    lossMask_T: Uint8Array.of(0, 1),
    logprobs_T: Float32Array.of(0, Math.fround(Math.log(0.5))),
    versions_T: Uint32Array.of(0, 3),
  });

test("rollouts that were recorded are listed and shown", async () => {
  const folder = await RunFolder.create(runsDir, "demo", { trainer: { seed: 1 } });
  const recorder = new TrajectoryRecorder(folder.trajectories);
  await recorder.record(0, [episode(0, 0), episode(0, 1)]);
  await recorder.record(1, [episode(1, 0)]);
  await recorder.close();
  assert.equal(readFileSync(join(folder.path, "config.yaml"), "utf8"), "trainer:\n  seed: 1\n");
  assert.equal(readlinkSync(join(runsDir, "latest")), folder.id);
  const run = findRun(runsDir, "latest");
  const rows = [...listRollouts(run)];
  assert.deepEqual(
    rows.map(({ key }) => key),
    ["0/0/0/0", "0/0/1/0", "1/0/0/0"],
  );
  assert.equal(formatRows(rows)[2], "0/0/1/0  1.00    1      1       submitted  0.50");
  assert.deepEqual(formatRollout(findRollout(run)).slice(3), [
    "  fix it $",
    "> submit   (p 0.500, weights 3   reward 1)",
    "",
    "submitted   reward 1   solved 1",
  ]);
  const command = (...args: string[]) =>
    execFileSync(process.execPath, [main, "rollouts", ...args, "--json"], { cwd: dirname(runsDir), encoding: "utf8" });
  const asJson = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { key: string });
  assert.deepEqual(
    asJson(command("ls", run)).map(({ key }) => key),
    rows.map(({ key }) => key),
  );
  assert.equal(asJson(command("show", run)).length, 1);
  assert.throws(() => findRollout(run, "9/9/9/9"), /holds no rollout 9\/9\/9\/9/);
  assert.throws(() => findRun(runsDir, "nope"), /no run is named nope/);
});

test("what a run was not trained on is listed with the reason, also from a ledger that ends in the middle of a record", async () => {
  const folder = await RunFolder.create(runsDir, "dropped", {});
  const ledger = await RunLedger.open(folder.path);
  const counts = { failedEpisodes: 1, droppedGroups: 0, cutGroups: 0, duplicates: 0, stale: 0 };
  await ledger.append({
    ...{ kind: "step", step: 0, version: 1, trained: ["0/0/0/0"], beta: null, oldest: 0, counts },
    ...{ dropped: [{ key: "0/0/1/0", reason: "the sandbox broke" }], data: { opened: 1, open: [] } },
  });
  await ledger.close();
  appendFileSync(join(folder.path, "ledger.log"), "0123456789abcdef 9");
  const args = [main, "rollouts", "ls", "--dropped", folder.path];
  assert.equal(
    execFileSync(process.execPath, args, { encoding: "utf8" }),
    "KEY      STEP  REASON\n0/0/1/0  0     the sandbox broke\n",
  );
});

test("two runs of the same second have folders of their own, and a checkpoint is replaced whole", async () => {
  const [a, b] = await Promise.all([RunFolder.create(runsDir, "twin", {}), RunFolder.create(runsDir, "twin", {})]);
  assert.notEqual(a.path, b.path);
  const write = (text: string) => async (folder: string) => {
    const { mkdir } = await import("node:fs/promises");
    await mkdir(folder);
    writeFileSync(join(folder, "model"), text);
  };
  await a.replaceCheckpoint(write("first"));
  await a.replaceCheckpoint(write("second"));
  assert.equal(readFileSync(join(a.checkpoint, "model"), "utf8"), "second");
  await assert.rejects(
    a.replaceCheckpoint(async () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(readFileSync(join(a.checkpoint, "model"), "utf8"), "second");
});

test("a folder that cannot be made is one sentence", async () => {
  const file = join(runsDir, "file");
  writeFileSync(file, "");
  await assert.rejects(
    RunFolder.create(join(file, "runs"), "x", {}),
    /cannot write .*file\/runs: a file is where the folder should be/,
  );
});

test("a full disk is one sentence, and what the recorder could not write is told by its end at the latest", async () => {
  await assert.rejects(
    onDisk("/dev/full", () => writeFileSync("/dev/full", "x")),
    (error: ActorsError) => error.rawMessage === "cannot write /dev/full: the disk is full" && !error.retryable,
  );
  const recorder = new TrajectoryRecorder("/dev/full/x");
  await recorder.record(0, [episode(0, 0)]).catch(() => {});
  await assert.rejects(recorder.close(), /cannot write \/dev\/full\/x\/step-000000.jsonl.gz: /);
});
