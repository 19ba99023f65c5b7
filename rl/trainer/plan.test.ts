import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ofScores } from "../algorithms/advantages.js";
import { tokenMean } from "../algorithms/reductions.js";
import { grpo } from "../algorithms/score-advantages.js";
import { gae } from "../algorithms/token-advantages.js";
import { resolveConfig } from "../config/load.js";
import { microBatches, pack, type Sample, splitOverRanks } from "../learner/batch.js";
import { samplingAt } from "../rollout/sampling.js";
import type { Trajectory } from "../trajectories/trajectory.js";
import { rateAt, scheduled } from "./mini-batches.js";
import { planStep } from "./plan.js";

const methods = { estimator: ofScores(grpo), reduction: tokenMean, lossModule: null };

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
    step: 0,
    version: 0,
    kl: null,
    values_GST: null,
    teacher_GST: null,
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
  const { plans, tokens } = planStep(groups, methods, config, 64, {
    world: 1,
    step: 0,
    version: 0,
    kl: null,
    values_GST: null,
    teacher_GST: null,
  });
  const { lossMask_N, advantages_N } = plans[0]!.miniBatches[0]!.batch;
  assert.deepEqual([...lossMask_N], [0, 1, 0, 1, 0, 0, 0, 0]);
  assert.equal(tokens, 2);
  assert.ok(Math.abs(advantages_N[1]! - Math.SQRT1_2) < 1e-5);
});

test("a step's samples carry their reference and where their proximal policy lies, its loss what the configuration says", () => {
  const algorithm = {
    ...{ policy_loss_type: "decoupled_ppo", old_logprobs: "loglinear" as const, eps_clip_high: 0.3 },
    ...{ use_kl_loss: true, kl_estimator_type: "k2" as const, use_entropy_loss: false },
  };
  const config = resolveConfig({ trainer: { algorithm } });
  const versions_T = Uint32Array.of(0, 7, 0, 6, 0); // the learner is at 7 and goes to 8
  const groups = [
    [
      { ...episode(1, 5), versions_T },
      { ...episode(0, 5), versions_T },
    ],
  ];
  const ref_T = Float32Array.of(0, -1, 0, -2, 0);
  const { plans, divergence } = planStep(groups, methods, config, 64, {
    ...{
      world: 1,
      step: 0,
      version: 7,
      kl: { beta: 0.25, ref_GST: [[ref_T, ref_T]] },
      values_GST: null,
      teacher_GST: null,
    },
  });
  const { loss, miniBatches } = plans[0]!;
  assert.deepEqual(loss, {
    ...{ kind: "policy", token: { kind: "decoupled_ppo", clipLow: 0.2, clipHigh: 0.3 }, entropyCoef: 0 },
    ...{ kl: { coef: 0.25, estimator: "k2" }, old: "loglinear", corrections: [] },
  });
  const { refLogp_N, interpolation_N, weights_B } = miniBatches[0]!.batch;
  assert.deepEqual([...refLogp_N!], [...ref_T, ...ref_T]);
  assert.deepEqual([interpolation_N![1], interpolation_N![3]], [0, 0.5]);
  assert.deepEqual([...weights_B], [1, 1]);
  assert.equal(divergence, 0); // it is in the loss, not in the reward
});

test("every policy loss takes its parameters from where the configuration has them", () => {
  const tokenOf = (algorithm: object) => {
    const { plans } = planStep(
      [[episode(1, 5), episode(0, 3)]],
      methods,
      resolveConfig({ trainer: { algorithm } }),
      64,
      {
        ...{ world: 1, step: 0, version: 0, kl: null, values_GST: null, teacher_GST: null },
      },
    );
    const { loss } = plans[0]!;
    return loss.kind === "policy" ? loss.token : null;
  };
  const bounds = { clipLow: 0.2, clipHigh: 0.28 };
  assert.deepEqual(tokenOf({}), { kind: "regular", ...bounds });
  assert.deepEqual(tokenOf({ policy_loss_type: "dual_clip" }), { kind: "dual_clip", ...bounds, dualClip: 3 });
  assert.deepEqual(tokenOf({ policy_loss_type: "gspo", eps_clip_low: 3e-4, eps_clip_high: 4e-4 }), {
    ...{ kind: "gspo", clipLow: 3e-4, clipHigh: 4e-4 },
  });
  assert.deepEqual(tokenOf({ policy_loss_type: "cispo" }), { kind: "cispo", clipLow: 1, clipHigh: 4 });
  assert.deepEqual(tokenOf({ policy_loss_type: "sapo", sapo: { tau_neg: 2 } }), {
    ...{ kind: "sapo", tauPositive: 1, tauNegative: 2 },
  });
  assert.deepEqual(tokenOf({ policy_loss_type: "dppo", dppo: { delta_low: 0.1 } }), {
    ...{ kind: "dppo", deltaLow: 0.1, deltaHigh: 0.2 },
  });
  for (const kind of ["importance_sampling", "cross_entropy"])
    assert.deepEqual(tokenOf({ policy_loss_type: kind }), { kind });
});

test("with a critic's values the critic learns the returns, and the policy their advantages", () => {
  const algorithm = { advantage_estimator: "gae", gamma: 1, lambd: 1, value_clip: 0.3 };
  const config = resolveConfig({ trainer: { algorithm, critic: { optimizer_config: { lr: 0.5 } } } });
  const groups = [[episode(1, 5), episode(0, 5)]];
  const values_GST = [[Float32Array.of(9, 0.5, 9, 0.75, 9), Float32Array.of(9, 0.25, 9, 0.25, 9)]];
  const { plans, critic } = planStep(groups, { ...methods, estimator: gae }, config, 64, {
    ...{ world: 1, step: 3, version: 3, kl: null, values_GST, teacher_GST: null },
  });
  const { miniBatches, loss, rates } = critic!.plans[0]!;
  assert.deepEqual([loss, rates], [{ kind: "value", clip: 0.3 }, [0.5]]);
  const { returns_N, values_N } = miniBatches[0]!.batch;
  const sampled = (x_N: Float32Array) => [1, 3, 6, 8].map((i) => x_N[i]);
  assert.deepEqual(sampled(returns_N!), [1, 1, 0, 0]); // with lambda 1 whatever the values
  assert.deepEqual(sampled(values_N!), [0.5, 0.75, 0.25, 0.25]);
  // Of the errors 0.5, 0.25, -0.25, -0.25 against the returns 1, 1, 0, 0.
  assert.ok(Math.abs(critic!.explainedVariance - (1 - 0.10546875 / 0.25)) < 1e-6);
  const { advantages_N } = plans[0]!.miniBatches[0]!.batch;
  assert.ok(advantages_N[1]! > advantages_N[3]! && advantages_N[3]! > advantages_N[6]!);
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

test("after its rise the rate falls along a line or half a cosine, to a floor, in the updates that the run began with", () => {
  const { optimizer_config } = resolveConfig({}).trainer.policy;
  const config = { ...optimizer_config, lr: 1, num_warmup_steps: 2, min_lr_ratio: 0.2 };
  const rates = (scheduler: "linear" | "cosine") => {
    const known = scheduled({ ...config, scheduler }, 10);
    assert.equal(scheduled(known, 99).num_training_steps, 10);
    return [0, 1, 2, 6, 10, 50].map((update) => rateAt(known, update).toFixed(3));
  };
  assert.deepEqual(rates("linear"), ["0.500", "1.000", "1.000", "0.600", "0.200", "0.200"]);
  assert.deepEqual(rates("cosine"), ["0.500", "1.000", "1.000", "0.600", "0.200", "0.200"]);
  const { generator } = resolveConfig({ generator: { temperature_schedule: { end: 0.5, steps: 10 } } });
  assert.deepEqual(
    [0, 5, 10, 20].map((step) => samplingAt(step, generator).temperature),
    [1, 0.75, 0.5, 0.5],
  );
});

test("a teacher's view of each sampled token is added to its advantage, and alone where rewards teach nothing", () => {
  const config = resolveConfig({
    trainer: { train_batch_size: 1, algorithm: { distillation: { teacher: "t", coef: 0.5 } } },
  });
  const group = [episode(1, 5), episode(0, 5)].map((t, s) => ({
    ...t,
    logprobs_T: Float32Array.of(9, -1 - s, 9, -2, 9), // what lies outside of the mask is never read
  }));
  const teacher_T = Float32Array.of(NaN, -2, NaN, -1.5, NaN);
  const at = { world: 1, step: 0, version: 0, kl: null, values_GST: null, teacher_GST: [[teacher_T, teacher_T]] };
  const advantages = (estimator: typeof methods.estimator) => {
    const { plans, fromTeacher } = planStep([group], { ...methods, estimator }, config, 16, at);
    assert.equal(fromTeacher, (1 - 0.5 + 0 - 0.5) / 4);
    return [...plans[0]!.miniBatches[0]!.batch.advantages_N];
  };
  const alone = [0, -0.5, 0, 0.25, 0, 0, 0, 0, 0.25, 0];
  assert.deepEqual(advantages(ofScores((scores_S) => scores_S.map(() => 0))), alone);
  const both = alone.map((taught, i) => (i % 5 === 1 || i % 5 === 3 ? taught + (i < 5 ? 2 : -1) : 0));
  assert.deepEqual(advantages(ofScores(() => [2, -1])), both);
});
