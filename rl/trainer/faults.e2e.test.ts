import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../../runtime/cluster/start.js";
import { readClusterFile } from "../../runtime/cluster/state.js";
import { pause } from "../../runtime/index.js";
import { seededRandom } from "../environments/random.js";
import { readLedger } from "../run/ledger.js";
import { readTrajectories } from "../run/read.js";
import { echoModule } from "../testing/echo.js";
import { type TrainOptions, type TrainResult, train } from "./train.js";

const folder = mkdtempSync(join(tmpdir(), "faults-"));
let cluster: Cluster;

before(async () => {
  cluster = await startCluster({ nodes: 3, stateDir: join(folder, ".actors") });
  calm = numbers((await trainAndKill(null)).result.folder);
});

after(async () => {
  await cluster.stop("the tests are done");
  rmSync(folder, { recursive: true });
  assert.deepEqual(
    readdirSync("/dev/shm").filter((name) => name.startsWith(`actors-${process.pid}-`)),
    [],
  );
});

const steps = 12;
const random = seededRandom(Number(process.env["ACTORS_TEST_SEED"] ?? 6));

/** Trains, and kills what `victim` names some time after some step; null: nothing dies. */
async function trainAndKill(
  victim: (() => number) | null,
  more: Partial<TrainOptions> = {},
): Promise<{ result: TrainResult; lines: string[] }> {
  const [deadly, afterMs] = [2 + Math.floor(random() * 8), Math.floor(random() * 100)];
  let dying = Promise.resolve();
  const lines: string[] = [];
  const unlisten = cluster.onEvent(({ text }) => lines.push(text));
  const result = await train({
    system: cluster.system,
    config: {
      environment: { env_class: `${echoModule}#echo`, sandboxes: 4, sandbox_backend: "process" },
      trainer: {
        mode: "sync",
        max_training_steps: steps,
        train_batch_size: 4,
        policy: {
          model: { dim: 16, layers: 1, heads: 2, kv_heads: 2, head_dim: 8, ffn_dim: 32, max_seq_len: 8 },
          optimizer_config: { lr: 0.01 },
        },
        step_timeout_seconds: 60,
      },
      generator: { n_samples_per_prompt: 4 },
    },
    name: "faults",
    runsDir: join(folder, "runs"),
    line: (text) => lines.push(text),
    onStep: ({ step }) => {
      if (step === deadly && victim) dying = pause(afterMs).then(() => void process.kill(victim(), "SIGKILL"));
    },
    ...more,
  });
  await dying;
  unlisten();
  return { result, lines };
}

/** Metrics without what depends on the clock, and on what came twice. */
function numbers(folder: string): unknown[] {
  const lines = readFileSync(join(folder, "metrics.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => ({ ...JSON.parse(line), seconds: 0, stages: 0, tokensPerSecond: 0, duplicates: 0 }));
}

let calm: unknown[];

/** Every sample of every step was trained on, once, and all came out as if nothing had died. */
function assertWhole({ result, lines }: { result: TrainResult; lines: string[] }): void {
  const said = lines.join("\n");
  assert.equal(result.interrupted, false, said);
  assert.equal(result.steps, steps, said);
  assert.equal(result.failedEpisodes, 0, said);
  const keys = [...readTrajectories(result.folder)].map(({ step, group, sample }) => `${step}/${group}/${sample}`);
  assert.equal(keys.length, steps * 16);
  assert.equal(new Set(keys).size, keys.length);
  const records = readLedger(result.folder).filter((record) => record.kind === "step");
  const trained = records.flatMap((record) => record.trained.map((key) => key.split("/").slice(0, 3).join("/")));
  assert.deepEqual(trained, keys);
  assert.deepEqual(numbers(result.folder), calm);
}

const pidOf = (def: string) => () =>
  cluster.system.ps().actors.find((a) => a.def === def && a.state === "RUNNING")!.pid;

test("a run that was interrupted goes on at once in the same cluster", { timeout: 120_000 }, async () => {
  const stop = new AbortController();
  const first = await trainAndKill(null, { signal: stop.signal, onStep: ({ step }) => step === 4 && stop.abort() });
  assert.equal(first.result.interrupted, true);
  assertWhole(await trainAndKill(null, { resume: first.result.folder }));
});

test("a killed policy serves the weights in force again, and nothing is lost", { timeout: 120_000 }, async () => {
  const ran = await trainAndKill(pidOf("policy"));
  assertWhole(ran);
  assert.ok(ran.lines.some((line) => /policy.*runs again/.test(line)));
});

test("a killed rollout's unfinished samples are asked for again", { timeout: 120_000 }, async () => {
  const ran = await trainAndKill(pidOf("rollout"));
  assertWhole(ran);
  assert.ok(ran.lines.some((line) => /rollout.*died/.test(line)));
});

test("when a learner rank is killed all ranks go back to the last version and do the step again", {
  timeout: 120_000,
}, async () => {
  const ran = await trainAndKill(pidOf("learner"));
  assertWhole(ran);
  const [line] = ran.lines.filter((l) => l.includes("went back to version"));
  assert.match(
    line ?? ran.lines.join("\n"),
    /^(the update to version \d+|saving the .*) failed \(.*\); all 2 ranks went back to version \d+ in collective \d .* do it again$/,
  );
});

test("a killed nats-server loses no trajectory", { timeout: 120_000 }, async () => {
  const ran = await trainAndKill(() => readClusterFile(cluster.file).natsPids[0]!);
  assertWhole(ran);
});

test("a killed sandbox actor's episodes are played again", { timeout: 120_000 }, async () => {
  assertWhole(await trainAndKill(pidOf("sandbox")));
});

test("a killed node's actors go on elsewhere", { timeout: 120_000 }, async () => {
  const ran = await trainAndKill(() => {
    const { actors, nodes } = cluster.system.ps();
    const home = actors.find((a) => a.def === "learner" && a.state === "RUNNING")!.node;
    return nodes.find(({ id }) => id === home)!.pid;
  });
  assertWhole(ran);
});
