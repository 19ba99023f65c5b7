import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { finalNumber } from "./arithmetic/index.js";
import type { EnvironmentDef } from "./environment.js";
import { noSandbox } from "./play.js";
import { readSkyRows, type SkyEnv, type SkyRow, skyEnvironment } from "./skyrl.js";
import { verify } from "./verify.js";

const folder = mkdtempSync(join(tmpdir(), "skyrl-"));
after(() => rmSync(folder, { recursive: true }));

const rowOf = (n: number) => ({
  data_source: "sums",
  prompt: [
    { role: "system", content: "Answer after ####." },
    { role: "user", content: `What is ${n} + ${n}?` },
  ],
  env_class: "sums",
  reward_spec: { method: "rule", ground_truth: String(2 * n) },
  extra_info: { split: "train", index: n },
});

function write(name: string, lines: readonly unknown[]): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return file;
}

/** Two tries, as a multi-turn environment of SkyRL-gym has them. */
class Sums implements SkyEnv {
  readonly #row: SkyRow;
  #tries = 0;

  constructor(row: SkyRow) {
    this.#row = row;
  }

  async init(prompt: Parameters<SkyEnv["init"]>[0]) {
    return [prompt, {}] as [typeof prompt, Record<string, unknown>];
  }

  async step(action: string) {
    const right = finalNumber(action) === Number(this.#row.reward_spec.ground_truth);
    const done = right || ++this.#tries === 3;
    const observations = done ? [] : [{ role: "user", content: "Try again." }];
    return { observations, reward: Number(right), done, metadata: { tries: this.#tries, note: "text" } };
  }

  async close() {}
}

const sums = skyEnvironment({
  ...{ name: "sums", maxTurns: 2, maxActionTokens: 16, make: (row) => new Sums(row) },
  train: readSkyRows(write("train.jsonl", [1, 2, 3, 4, 5].map(rowOf))),
  heldOut: readSkyRows(write("test.jsonl", [6, 7].map(rowOf))),
  *expert(prompt) {
    yield `#### ${2 * Number(/\d+/.exec(prompt)![0])}`;
  },
  *random(_, dice) {
    for (;;) yield `#### ${Math.floor(100 * dice())}`;
  },
});

test("an environment of SkyRL-gym's contract plays its rows", async () => {
  const { expert, random, problems } = await verify(sums as EnvironmentDef, 2, noSandbox());
  assert.deepEqual([expert, problems], [1, []]);
  assert.equal(random, 0);
  const env = sums.create();
  assert.equal(await env.reset(sums.heldOutTasks()[0]!, noSandbox()), "Answer after ####.\nWhat is 6 + 6?");
  const wrong = await env.step("#### 13", noSandbox());
  assert.deepEqual(wrong, {
    observation: "Try again.",
    reward: 0,
    terminated: false,
    truncated: false,
    info: { tries: 1 },
  });
  assert.equal((await env.step("#### 13", noSandbox())).truncated, true);
});

test("an epoch takes every row once, in another order each time", () => {
  const index = (i: number) => sums.trainTask(7, i).extra_info["index"];
  const epochs = [0, 5, 10].map((first) => Array.from({ length: 5 }, (_, i) => index(first + i)));
  for (const epoch of epochs) assert.deepEqual(epoch.toSorted(), [1, 2, 3, 4, 5]);
  assert.ok(new Set(epochs.map(String)).size > 1);
});

test("a row that is wrong is named by file, line and column", () => {
  const { reward_spec: _, ...without } = rowOf(1);
  assert.throws(() => readSkyRows(write("a.jsonl", [rowOf(1), "", without])), /a\.jsonl:3: reward_spec: /);
  assert.throws(() => readSkyRows(write("b.jsonl", ["{"])), /b\.jsonl:1: no JSON/);
  assert.throws(() => skyEnvironment({ name: "none", train: [] } as never), /none has no train rows/);
});
