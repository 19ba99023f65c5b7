import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ofScores } from "../algorithms/advantages.js";
import { tokenMean } from "../algorithms/reductions.js";
import { grpo } from "../algorithms/score-advantages.js";
import { resolveConfig } from "../config/load.js";
import { microBatches, pack, type Sample, splitOverRanks } from "../learner/batch.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import { planStep, rateAt } from "./plan.js";

const methods = { estimator: ofScores(grpo), reduction: tokenMean };

const sample = (length: number, advantage = 1): Sample => ({
  tokens_T: Int32Array.from({ length }, (_, i) => i),
  lossMask_T: Uint8Array.from({ length }, (_, i) => i % 2),
  rolloutLogp_T: new Float32Array(length).fill(-1),
  advantages_T: new Float32Array(length).fill(advantage),
});

const episode = (reward: number, length: number) =>
  ({
    ...sample(length),
    logprobs_T: new Float32Array(length),
    reward,
    turns: [{ start: 0, end: length, reward }],
  }) as unknown as Trajectory;

test("the advantage lies on sampled tokens only", () => {
  const batch = pack([sample(3, 2), sample(2, -1)]);
  assert.deepEqual([...batch.advantages_N], [0, 2, 0, 0, -1]);
  assert.deepEqual([...batch.starts_B1], [0, 3, 5]);
});

test("every sequence goes to exactly one rank and one micro-batch, none is cut, and ranks carry alike", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 64 }), (lens, world, maxTokens) => {
      const shares = splitOverRanks(
        lens.map((n) => sample(n)),
        world,
      );
      assert.deepEqual(
        shares
          .flat()
          .map((s) => s.tokens_T.length)
          .sort(),
        [...lens].sort(),
      );
      const loads = shares.map((share) => share.reduce((n, s) => n + s.tokens_T.length, 0));
      assert.ok(Math.max(...loads) - Math.min(...loads) <= Math.max(0, ...lens));
      for (const share of shares) {
        const cuts = [...microBatches(pack(share), maxTokens)];
        assert.deepEqual(
          cuts.flatMap(({ from, starts }) => [...starts.slice(0, -1)].map((s) => s + from)),
          [...pack(share).starts_B1.slice(0, -1)],
        );
        for (const { from, to, starts } of cuts) assert.ok(to - from <= maxTokens || starts.length === 2);
      }
    }),
  );
});

test("the normalizer counts the sampled tokens of the whole mini-batch over all ranks", () => {
  const config = resolveConfig({ trainer: { train_batch_size: 2, policy_mini_batch_size: 1 } });
  const groups = [
    [episode(1, 5), episode(0, 3)],
    [episode(1, 7), episode(1, 9)],
  ];
  const { plans, groupsWithoutSpread, tokens } = planStep(groups, methods, config, 64, {
    world: 2,
    updatesBefore: 0,
    kl: null,
  });
  assert.equal(plans.length, 2);
  for (const plan of plans)
    assert.deepEqual(
      plan.miniBatches.map((m) => m.normalizer),
      [3, 7],
    );
  assert.equal(groupsWithoutSpread, 1);
  assert.equal(tokens, 10);
});

test("an episode that did not end by itself leaves the loss, not its group's baseline, with the overlong filter", () => {
  const config = resolveConfig({ generator: { apply_overlong_filtering: true } });
  const groups = [
    [
      { ...episode(1, 5), finish: "submitted" },
      { ...episode(0, 3), finish: "turns" },
    ],
  ];
  const { plans, tokens } = planStep(groups, methods, config, 64, { world: 1, updatesBefore: 0, kl: null });
  const { lossMask_N, advantages_N } = plans[0]!.miniBatches[0]!.batch;
  assert.deepEqual([...lossMask_N], [0, 1, 0, 1, 0, 0, 0, 0]);
  assert.equal(tokens, 2);
  assert.ok(Math.abs(advantages_N[1]! - Math.SQRT1_2) < 1e-5);
});

test("the learning rate rises to its value and stays there", () => {
  const { optimizer_config } = resolveConfig({
    trainer: { policy: { optimizer_config: { lr: 1, num_warmup_steps: 4 } } },
  }).trainer.policy;
  assert.deepEqual(
    [0, 1, 3, 9].map((update) => rateAt(optimizer_config, update)),
    [0.25, 0.5, 1, 1],
  );
});
