import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { identityOf } from "../../runtime/core/claim.js";
import { localSystem } from "../../runtime/index.js";
import { mergeConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { seededRandom } from "../environments/random.js";
import { readLedger, type StateRecord, type StepRecord } from "../run/ledger.js";
import { readTrajectories } from "../run/read.js";
import { echoModule } from "../testing/echo.js";
import type { StepMetrics } from "./report.js";
import { train } from "./train.js";

const program = fileURLToPath(new URL("../testing/train-main.js", import.meta.url));
const runsDir = mkdtempSync(join(tmpdir(), "resume-"));
after(() => rmSync(runsDir, { recursive: true }));

const [steps, prompts, samples] = [8, 4, 4];
const config: ConfigInput = {
  environment: { env_class: `${echoModule}#echo`, sandboxes: 4, sandbox_backend: "process" },
  trainer: {
    ...{ mode: "sync", seed: 3, max_training_steps: steps, train_batch_size: prompts, policy_mini_batch_size: 2 },
    ...{ ckpt_interval: 3, learner_ranks: 2 },
    policy: {
      model: { dim: 16, layers: 1, heads: 2, kv_heads: 2, head_dim: 8, ffn_dim: 32, max_seq_len: 8 },
      optimizer_config: { lr: 0.01 },
    },
    warm_start: { steps: 20, batch_size: 16, optimizer_config: { lr: 0.01 } },
    algorithm: {
      ...{ use_kl_in_reward: true, kl_loss_coef: 0.1 },
      kl_ctrl: { type: "adaptive", kl_target: 0.01, horizon: 32 },
    },
  },
  generator: { n_samples_per_prompt: samples },
};

interface Start {
  overrides?: ConfigInput;
  resume?: string;
  name?: string;
  /** Told each thing the trainer says; true kills it so many milliseconds later. */
  kill?(said: string): number | undefined;
}

/** One start of a trainer in a process of its own. @returns null when it was killed, else what it said */
async function start({ overrides = {}, resume, name = "run", kill }: Start): Promise<string[] | null> {
  const options = { config: mergeConfig(config, overrides), name, runsDir, ...(resume && { resume }) };
  const child = fork(program, [JSON.stringify(options)], { silent: true });
  let stderr = "";
  child.stderr!.on("data", (chunk) => (stderr += chunk));
  const said: string[] = [];
  child.on("message", (text: string) => {
    said.push(text);
    const afterMs = kill?.(text);
    if (afterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), afterMs);
  });
  const [code, signal] = await once(child, "exit");
  if (signal === "SIGKILL") return null;
  assert.equal(code, 0, `${said.join("\n")}\n${stderr}`);
  return said;
}

const folderOf = (name: string) => join(runsDir, readdirSync(runsDir).find((run) => run.endsWith(`-${name}`))!);

/** Metrics without what depends on the clock. */
const numbers = (folder: string) =>
  readFileSync(join(folder, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => ({ ...(JSON.parse(line) as StepMetrics), seconds: 0, stages: 0, tokensPerSecond: 0 }));
const weights = (folder: string) => readFileSync(join(folder, "checkpoint", "model.safetensors"));
const rollouts = (folder: string) => [...readTrajectories(folder)].map((t) => [t.tokens, t.logprobs, t.versions]);

/** Every sample of every prompt is trained on once, or dropped once. */
function assertExactlyOnce(folder: string, steps: number): void {
  const records = readLedger(folder).filter((record): record is StepRecord => record.kind === "step");
  assert.deepEqual(
    records.map(({ step }) => step),
    Array.from({ length: steps }, (_, step) => step),
  );
  const keys = records.flatMap(({ trained, dropped }) => [...trained, ...dropped.map(({ key }) => key)]);
  const positions = keys.map((key) => key.split("/").slice(0, 3).join("/"));
  assert.equal(new Set(positions).size, positions.length);
  assert.equal(positions.length, steps * prompts * samples);
}

const random = seededRandom(Number(process.env["ACTORS_TEST_SEED"] ?? 16));
const kills = Number(process.env["ACTORS_TEST_KILLS"] ?? 2);

test("a trainer that is killed again and again ends with the numbers, episodes and weights of one that never was", async () => {
  await start({ name: "calm" });
  const deaths: string[] = [];
  let done = false;
  for (let i = 0; i < kills && !done; i++) {
    let left = 1 + Math.floor(random() * 14);
    const kill = (said: string) => {
      if (--left !== 0) return undefined;
      deaths.push(said);
      return Math.floor(random() * 40);
    };
    const begun = readdirSync(runsDir).some((run) => run.endsWith("-killed"));
    done = (await start({ name: "killed", kill, ...(begun && { resume: folderOf("killed") }) })) !== null;
  }
  if (!done) await start({ resume: folderOf("killed") });
  const [calm, killed] = [folderOf("calm"), folderOf("killed")];
  const after = `killed after ${deaths.join(", ")}`;
  assert.deepEqual(numbers(killed), numbers(calm), after);
  assert.deepEqual(rollouts(killed), rollouts(calm), after);
  assert.ok(weights(killed).equals(weights(calm)), after);
  assertExactlyOnce(killed, steps);
});

test("a run that is over goes on with more steps and other ranks, from the state before when the newest cannot be read", async () => {
  const folder = folderOf("killed");
  const [older, newest] = readLedger(folder)
    .filter(({ kind }) => kind === "state")
    .slice(-2) as StateRecord[];
  truncateSync(join(folder, "states", newest!.file, "shard-1-of-2.safetensors"), 1000);
  appendFileSync(join(folder, "ledger.log"), '0123456789abcdef 40\n{"kind":'); // cut off in the middle of a write
  const before = numbers(folder);
  const lines: string[] = [];
  await using system = await localSystem();
  const result = await train({
    ...{ system, runsDir, name: "", resume: folder, line: (text: string) => lines.push(text) },
    config: { trainer: { max_training_steps: steps + 2, learner_ranks: 1 } },
  });
  assert.equal(result.steps, steps + 2);
  assert.deepEqual(numbers(folder).slice(0, steps), before);
  const again = newest!.step - older!.step;
  assert.match(lines[0]!, new RegExp(`^${newest!.file} cannot be read .* going on from the state before it$`));
  assert.ok(lines.includes("changed trainer.learner_ranks from 2 to 1"));
  assert.ok(
    lines.includes(`resumed at step ${steps}: the state after step ${older!.step + 1}, and ${again} steps again`),
  );
  const resume = { system, runsDir, name: "", resume: folder };
  await assert.rejects(
    train({ ...resume, config: { trainer: { seed: 4 } } }),
    /cannot change trainer\.seed from 3 to 4/,
  );
  await assert.rejects(train({ ...resume, resume: "nothing", config: {} }), /no run is named nothing/);
  writeFileSync(join(folder, "trainer.pid"), identityOf(process.ppid));
  await assert.rejects(train({ ...resume, config: {} }), /process \d+ trains .*-killed already/);
});
