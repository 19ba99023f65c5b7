import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import { scoreStep } from "./score.js";

/** A prompt, an action of two tokens, an observation, an action of one. */
const episode: Trajectory = {
  ...{ key: "r/0/0/0/0", step: 0, group: 0, sample: 0, attempt: 0, seed: 0, task: "", prompt: "" },
  tokens_T: Int32Array.of(1, 2, 3, 4, 5),
  lossMask_T: Uint8Array.of(0, 1, 1, 0, 1),
  logprobs_T: Float32Array.of(Number.NaN, -1, -2, Number.NaN, -1),
  versions_T: new Uint32Array(5),
  ...{
    reward: 1,
    contexts: [],
    shared: 0,
    finish: "submitted",
    startedAt: 0,
    seconds: 0,
    stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 },
    metrics: {},
  },
  turns: [
    { start: 1, end: 3, action: "", observation: "", reward: 0, potential: 0.5, summary: false },
    { start: 4, end: 5, action: "", observation: "", reward: 1, potential: 1, summary: false },
  ],
};
const configured = (algorithm: NonNullable<ConfigInput["trainer"]>["algorithm"]) =>
  resolveConfig({ trainer: { algorithm } });

test("without shaping the rewards are the environment's", () => {
  const { samples_GS, divergence } = scoreStep([[episode], []], configured({}), null);
  assert.deepEqual([...samples_GS[0]![0]!.rewards_T], [0, 0, 0, 0, 1]);
  assert.deepEqual([samples_GS[0]![0]!.score, samples_GS[1]!, divergence], [1, [], 0]);
});

test("milestones, the overlong penalty and the divergence add up on the tokens they belong to", () => {
  const config = configured({
    ...{ milestone_shaping: 0.5, use_kl_in_reward: true, kl_estimator_type: "k1" },
    overlong_buffer: { len: 2, max_len: 4 },
  });
  const ref_T = Float32Array.of(Number.NaN, -2, -2, Number.NaN, -2); // k1: 1, 0, 1
  const { samples_GS, divergence, parts } = scoreStep([[episode]], config, { beta: 0.125, ref_GST: [[ref_T]] });
  const sample = samples_GS[0]![0]!;
  assert.deepEqual([...sample.rewards_T], [0, -0.125, 0.25, 0, 1 - 0.25 - 0.5 - 0.125]);
  assert.equal(sample.score, 1 - 0.5 - 0.25);
  assert.ok(Math.abs(divergence - 2 / 3) < 1e-9);
  assert.deepEqual(parts, { environment: 1, overlong: -0.5, divergence: -0.25 });
});
