import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ModelConfig } from "../../native/index.js";
import { localSystem } from "../../runtime/index.js";
import { type LearnerOptions, learnerActor } from "../learner/actor.js";
import { pack, type Sample, splitOverRanks } from "../learner/batch.js";
import type { LossSettings, UpdatePlan } from "../learner/update.js";
import { farLearner } from "../testing/far-learner.js";
import { LearnerGroup, type SavedState } from "./learners.js";

const folder = mkdtempSync("/dev/shm/learners-test-");
after(() => rmSync(folder, { recursive: true }));

const model: ModelConfig = {
  ...{ vocabSize: 11, dim: 16, layers: 2, heads: 2, kvHeads: 1, headDim: 8, ffnDim: 24 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 16 },
};
const policyLoss: LossSettings = {
  ...{ kind: "policy", token: { kind: "regular", clipLow: 0.2, clipHigh: 0.28 } },
  ...{ entropyCoef: 0.01, kl: null, old: "rollout", corrections: [] },
};

const samples: Sample[] = Array.from({ length: 9 }, (_, b) => {
  const length = 4 + (b % 5);
  return {
    tokens_T: Int32Array.from({ length }, (_, i) => (b * 3 + i * 5) % 11),
    lossMask_T: Uint8Array.from({ length }, (_, i) => (i > 1 ? 1 : 0)),
    rolloutLogp_T: new Float32Array(length).fill(-2.4),
    advantages_T: new Float32Array(length).fill(b % 2 === 0 ? 1 : -0.5),
  };
});
const normalizer = samples.reduce((n, s) => n + s.tokens_T.length - 2, 0);

function plans(world: number, loss: LossSettings = policyLoss, maxTokens = 64, all = samples): UpdatePlan[] {
  return splitOverRanks(all, world).map((share) => ({
    miniBatches: [{ batch: pack(share), normalizer }],
    epochs: 2,
    loss,
    optimizer: { beta1: 0.9, beta2: 0.95, weightDecay: 0, maxGradNorm: 1 },
    rates: [0.01, 0.005],
    maxTokens,
  }));
}

async function withGroup<T>(
  world: number,
  name: string,
  body: (group: LearnerGroup, at: { lines: string[]; abort(rank: number): void }) => Promise<T>,
  more: Partial<LearnerOptions> = {},
  origin: SavedState | null = null,
): Promise<T> {
  const system = await localSystem();
  try {
    const prefix = join(folder, `${name}-`);
    const ranks = await system.spawnGroup(learnerActor, world, {
      args: (rank): [LearnerOptions] => [
        {
          model,
          seed: 5,
          rank,
          world,
          threads: 1,
          gradientCheckpointing: false,
          prefix,
          collectiveTimeoutMs: 20_000,
          ...more,
        },
      ],
    });
    const lines: string[] = [];
    const line = (text: string) => lines.push(text);
    const group = new LearnerGroup(ranks, { timeoutMs: 20_000, signal: new AbortController().signal, line });
    await group.start(origin);
    return await body(group, { lines, abort: (rank) => ranks[rank]!.abort.tell("the test says so") });
  } finally {
    await system.close();
  }
}

/** The published weights after two requests of two updates each. */
async function trained(world: number, name: string, maxTokens = 64): Promise<Buffer> {
  return withGroup(world, name, async (group) => {
    await group.update(plans(world, policyLoss, maxTokens), true);
    const { weights } = await group.update(plans(world, policyLoss, maxTokens), true);
    return readFileSync(weights!.path);
  });
}

test("ranks and micro-batches do not change what is learned", async () => {
  const one = await withGroup(1, "one", (group) => loss(group, 1));
  const two = await withGroup(2, "two", (group) => loss(group, 2));
  const three = await withGroup(3, "three", (group) => loss(group, 3));
  const cut = await withGroup(2, "cut", (group) => loss(group, 2, 6));
  for (const other of [two, three, cut]) {
    assert.equal(other.length, one.length);
    for (const [i, x] of other.entries())
      assert.ok(Math.abs(x - one[i]!) < 1e-5 * Math.max(1, Math.abs(one[i]!)), `${other} is not ${one}`);
  }
});

/** Losses and gradient norms over six requests. */
async function loss(group: LearnerGroup, world: number, maxTokens = 64): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < 6; i++) {
    const { stats } = await group.update(plans(world, policyLoss, maxTokens), false);
    seen.push(
      stats.reduce((sum, s) => sum + s.loss, 0),
      stats[0]!.gradNorm,
    );
  }
  return seen;
}

test("an update that is cut short is done again from the last version, to the same bits", async () => {
  const undisturbed = await trained(2, "calm");
  const disturbed = await withGroup(2, "storm", async (group, { lines, abort }) => {
    await group.update(plans(2), true);
    const updating = group.update(plans(2), true);
    abort(1);
    const { weights, version } = await updating;
    assert.equal(version, 1);
    assert.ok(lines.length <= 1); // none when the abort came after the update
    for (const line of lines) assert.match(line, /all 2 ranks went back to version 0 in collective 2/);
    return readFileSync(weights!.path);
  });
  assert.ok(disturbed.equals(undisturbed));
});

test("ranks on several hosts meet over TCP, keep their shards to themselves, and go back to them together", async () => {
  const wanted = await withGroup(1, "near", (group) => loss(group, 1));
  const system = await localSystem();
  try {
    const common = { model, seed: 5, world: 3, threads: 1, gradientCheckpointing: false, collectiveTimeoutMs: 20_000 };
    const args = (rank: number): [LearnerOptions] => [{ ...common, rank, prefix: join(folder, `far${rank}-`) }];
    const ranks = await system.spawnGroup(farLearner, 3, { args });
    const lines: string[] = [];
    const line = (text: string) => lines.push(text);
    const group = new LearnerGroup(ranks, { timeoutMs: 20_000, signal: new AbortController().signal, line });
    await group.start();
    const seen: number[] = [];
    for (let i = 0; i < 6; i++) {
      const updating = group.update(plans(3), false);
      if (i === 3) ranks[1]!.abort.tell("the test says so");
      const { stats } = await updating;
      seen.push(
        stats.reduce((sum, s) => sum + s.loss, 0),
        stats[0]!.gradNorm,
      );
    }
    for (const [i, x] of seen.entries())
      assert.ok(Math.abs(x - wanted[i]!) < 1e-5 * Math.max(1, Math.abs(x)), `${seen}`);
    for (const line of lines) assert.match(line, /all 3 ranks went back to version \d in collective 2/); // none if it came late
    for (const rank of [0, 1, 2])
      assert.deepEqual(readdirSync(join(folder, `far${rank}-state-5`)), [`shard-${rank}-of-3.safetensors`]);
    await Promise.all([...ranks].map((rank) => system.stop(rank)));
    assert.deepEqual(
      readdirSync(folder).filter((name) => /^far[12]/.test(name)),
      [],
    );
  } finally {
    await system.close();
  }
});

test("the proximal policy may be the learner's own: then the first update's ratio is exactly 1", async () => {
  await withGroup(2, "own", async (group) => {
    const own: LossSettings = { ...policyLoss, old: "learner" } as LossSettings;
    const once = plans(2, own).map((plan) => ({ ...plan, epochs: 1, rates: [0.01] }));
    const { stats } = await group.update(once, false);
    for (const s of stats) {
      assert.equal(s.clippedSum, 0);
      assert.ok(Math.abs(s.ratioMax - 1) < 1e-6);
      assert.ok(s.mismatch.length > 0);
    }
  });
});

test("a loss of one's own, named by its module, learns what the native one does", async () => {
  const own = {
    ...policyLoss,
    token: { kind: "module", url: new URL("../testing/clipped-loss.js", import.meta.url).href },
  };
  const updates = (loss: LossSettings) =>
    withGroup(2, "module", async (group) => {
      const all = [];
      for (let i = 0; i < 4; i++) all.push((await group.update(plans(2, loss, 12), false)).stats);
      return all.flat().map((s) => [s.loss, s.gradNorm, s.clippedSum, s.klSum]);
    });
  const [native, module] = [await updates(policyLoss), await updates(own as LossSettings)];
  assert.ok(native.some(([, , clipped]) => clipped! > 0));
  for (const [i, row] of native.entries())
    for (const [j, x] of row.entries()) assert.ok(Math.abs(x - module[i]![j]!) < 1e-5 * Math.max(1, Math.abs(x)));
});

test("a KL in the loss keeps the policy near its reference", async () => {
  const referred = samples.map((sample) => ({
    ...sample,
    refLogp_T: new Float32Array(sample.tokens_T.length).fill(-2.4),
  }));
  const end = (coef: number) =>
    withGroup(2, "kl", async (group) => {
      const loss: LossSettings = { ...policyLoss, kl: { coef, estimator: "k3" } } as LossSettings;
      let divergence = 0;
      for (let i = 0; i < 6; i++) {
        const { stats } = await group.update(plans(2, loss, 64, referred), false);
        divergence = stats.reduce((sum, s) => sum + s.refKlSum, 0) / stats.reduce((sum, s) => sum + s.tokens, 0);
      }
      return divergence;
    });
  const [free, held] = [await end(1e-6), await end(10)];
  assert.ok(free > 0 && held < free / 2, `${held} is not far below ${free}`);
});

test("adapters learn the same over two ranks as on one, back from a version too, and are saved apart", async () => {
  const lora = { rank: 2, alpha: 4, targets: ["q_proj", "down_proj"] };
  const learned = (world: number, disturb: boolean) =>
    withGroup(
      world,
      `lora${world}`,
      async (group, { abort }) => {
        await group.update(plans(world), true);
        const updating = group.update(plans(world), true);
        if (disturb) abort(1);
        const { stats } = await updating;
        const saved = join(folder, `lora-${world}`);
        await group.save(saved, 20_000);
        assert.deepEqual(readdirSync(join(saved, "adapter")).sort(), [
          "adapter_config.json",
          "adapter_model.safetensors",
        ]);
        return [stats.reduce((sum, s) => sum + s.loss, 0), stats[0]!.gradNorm];
      },
      { lora },
    );
  const [one, two] = [await learned(1, false), await learned(2, true)];
  for (const [i, x] of one.entries())
    assert.ok(Math.abs(x - two[i]!) < 1e-5 * Math.max(1, Math.abs(x)), `${one}, ${two}`);
});

test("a state goes to disk while its ranks learn on, and one, two or four can go on from it", async () => {
  const path = join(folder, "state");
  const next = async (group: LearnerGroup, world: number) => {
    const { stats, version, weights } = await group.update(plans(world), true);
    const loss = stats.reduce((sum, s) => sum + s.loss, 0);
    return { version, numbers: [loss, stats[0]!.gradNorm], weights: readFileSync(weights!.path) };
  };
  const wanted = await withGroup(2, "saved", async (group) => {
    await group.update(plans(2), true);
    const saving = group.saveState(path, 20_000);
    const went = await next(group, 2);
    for (let i = 0; i < 3; i++) await group.update(plans(2), true);
    await saving;
    return went;
  });
  assert.deepEqual(readdirSync(path).sort(), ["shard-0-of-2.safetensors", "shard-1-of-2.safetensors"]);
  for (const world of [1, 2, 4]) {
    const origin = { version: 0, path };
    const begin = async (group: LearnerGroup) => {
      await group.commit();
      return next(group, world);
    };
    const got = await withGroup(world, `resumed${world}`, begin, {}, origin);
    assert.equal(got.version, wanted.version);
    for (const [i, x] of wanted.numbers.entries())
      assert.ok(Math.abs(x - got.numbers[i]!) < 1e-5 * Math.max(1, Math.abs(x)), `${world}: ${got.numbers}`);
    if (world === 2) assert.ok(got.weights.equals(wanted.weights));
  }
});

test("only the last versions stay in shared memory", async () => {
  await withGroup(1, "kept", async (group) => {
    for (let i = 0; i < 6; i++) await group.update(plans(1), true);
    const names = readdirSync(folder).filter((name) => name.startsWith("kept-"));
    assert.deepEqual(names.filter((n) => n.includes("state")).sort(), ["kept-state-3", "kept-state-4", "kept-state-5"]);
    assert.equal(names.filter((n) => n.includes("weights")).length, 3);
  });
});
