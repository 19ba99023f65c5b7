import assert from "node:assert/strict";
import fs from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { Collective } from "./index.js";
import { batchOf, cut, distance, failsWith, folderFor, learnerFor, readTensors } from "./test/helpers.js";

/** All ranks of a group, in this process: each works on a thread of its own. */
async function groupFor(t: TestContext, world: number, timeoutMs = 20_000): Promise<Collective[]> {
  const path = `${folderFor(t)}/group`;
  const ranks = await Promise.all(
    Array.from({ length: world }, (_, rank) => Collective.join({ path, rank, world, timeoutMs })),
  );
  t.after(() => {
    for (const rank of ranks) rank.close();
  });
  assert.ok(!fs.existsSync(path), "the file is gone once all have joined");
  return ranks;
}

describe("a collective", () => {
  it("sums over ranks, the same bits on each", async (t) => {
    const ranks = await groupFor(t, 3);
    const arrays = ranks.map((_, rank) => new Float32Array(300_000).map((_, i) => Math.sin(i * (rank + 1))));
    const wanted = arrays[0]!.map((x, i) => Math.fround(Math.fround(x + arrays[1]![i]!) + arrays[2]![i]!));
    await Promise.all(ranks.map((rank, i) => rank.allReduce(arrays[i]!)));
    for (const array of arrays) assert.deepEqual(array, wanted);
    await Promise.all(ranks.map((rank) => rank.barrier()));
  });

  it("gives learners on two ranks the step of one, and each half of its moments", async (t) => {
    const batch = batchOf([20, 30, 40, 11]);
    const loss = { kind: "regular", clipLow: 0.2, clipHigh: 0.2, entropyCoef: 0.01, normalizer: 60 } as const;
    const options = { lr: 0.01, eps: 1e-4, maxGradNorm: 1 };
    const alone = learnerFor(t);
    await alone.forwardBackward(batch, loss);
    const { gradNorm } = await alone.optimStep(options);
    const wanted = alone.parameters();
    const group = await groupFor(t, 2);
    const learners = [learnerFor(t), learnerFor(t)];
    const folder = folderFor(t);
    await Promise.all(
      learners.map(async (learner, rank) => {
        await learner.shard(rank, 2);
        await learner.forwardBackward(cut(batch, rank * 2, rank * 2 + 2), loss);
        const step = await learner.optimStep(options, group[rank]!);
        assert.ok(Math.abs(step.gradNorm / gradNorm - 1) < 1e-5);
        await learner.saveState(`${folder}/${rank}`);
      }),
    );
    for (const [name, values] of Object.entries(learners[0]!.parameters())) {
      assert.ok(distance(values, wanted[name]!) < 1e-5, name);
    }
    assert.deepEqual(learners[0]!.parameters(), learners[1]!.parameters());
    const total = Object.values(wanted).reduce((sum, { length }) => sum + length, 0);
    const halves = [0, 1].map((rank) => readTensors(`${folder}/${rank}`).get("moment1")!.length);
    assert.deepEqual(halves, [Math.floor(total / 2), Math.ceil(total / 2)]);
    await alone.loadState(`${folder}/0`, `${folder}/1`);
    assert.deepEqual(alone.parameters(), learners[0]!.parameters());
  });

  it("fails every rank when one aborts, with its reason, even while they wait", async (t) => {
    const [a, b] = await groupFor(t, 2);
    const waiting = failsWith("ABORTED", /lost its data/, () => a!.barrier());
    b!.abort("rank 1 lost its data");
    await waiting;
    await failsWith("ABORTED", /lost its data/, () => b!.barrier());
  });

  it("names the rank that is late", async (t) => {
    const [a] = await groupFor(t, 2, 100);
    await failsWith("TIMEOUT", /rank 1 .* did not reach the barrier within 100 ms/, () =>
      a!.allReduce(new Float32Array(3)),
    );
  });

  it("names the rank that left", async (t) => {
    const [a, b] = await groupFor(t, 2);
    const waiting = failsWith("TIMEOUT", /rank 1 .* left the group/, () => a!.barrier());
    b!.close();
    await waiting;
  });

  it("names the rank that never joined, and leaves no file", async (t) => {
    const path = `${folderFor(t)}/group`;
    const join = () => Collective.join({ path, rank: 0, world: 2, timeoutMs: 100 });
    await failsWith("TIMEOUT", /rank 1 did not join within 100 ms/, join);
    assert.ok(!fs.existsSync(path));
  });

  it("fails the group when one rank's call is cancelled", async (t) => {
    const [a, b] = await groupFor(t, 2);
    const controller = new AbortController();
    const mine = failsWith("ABORTED", /aborted/, () => a!.barrier(controller.signal));
    controller.abort();
    await mine;
    await failsWith("ABORTED", /rank 0 was cancelled/, () => b!.barrier());
  });

  it("fails a learner's step when its peer goes, and drops the gradients", async (t) => {
    const [a, b] = await groupFor(t, 2);
    const learner = learnerFor(t);
    await learner.shard(0, 2);
    await learner.forwardBackward(batchOf([20]), { kind: "cross_entropy", normalizer: 1 });
    const reducing = failsWith("TIMEOUT", /rank 1/, () => learner.optimStep({ lr: 0.1 }, a!));
    b!.close();
    await reducing;
    assert.ok(Object.values(learner.gradients()).every((gradient) => gradient.every((g) => g === 0)));
  });

  it("refuses a rank taken twice, a world of another size, and nonsense", async (t) => {
    const path = `${folderFor(t)}/group`;
    const join = (rank: number, world = 2) => Collective.join({ path, rank, world, timeoutMs: 20_000 });
    // Neither twin can succeed before rank 1 joins, so the first to settle is the one that was refused.
    const twins = [join(0), join(0)];
    await failsWith("INVALID_ARGUMENT", /rank 0 .* already taken/, () => Promise.race(twins));
    await failsWith("INVALID_ARGUMENT", /a group of 2 ranks/, () => join(0, 3));
    const [winner, second] = await Promise.all([Promise.any(twins), join(1)]);
    winner.close();
    second.close();
    await failsWith("INVALID_ARGUMENT", /rank 2 is outside/, () =>
      Collective.join({ path, rank: 2, world: 2, timeoutMs: 1 }),
    );
    await failsWith("IO", /\/nonexistent/, () =>
      Collective.join({ path: "/nonexistent/x", rank: 0, world: 1, timeoutMs: 1 }),
    );
  });
});
