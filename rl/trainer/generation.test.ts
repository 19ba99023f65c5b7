import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import type { Ask, Outcome } from "../rollout/actor.js";
import { EpisodeStore } from "../run/episodes.js";
import { MemoryLog } from "../trajectories/memory.js";
import { decodeTrajectory, encodeTrajectory } from "../trajectories/trajectory.js";
import { Generation, type GenerationOptions } from "./generation.js";

const folder = mkdtempSync(join(tmpdir(), "generation-"));
after(() => rmSync(folder, { recursive: true }));

const sampling = { temperature: 1, topP: 1, topK: 0 };

function trajectory(ask: Ask, version: number): Uint8Array {
  const { key, step, group, sample, attempt, seed } = ask;
  return encodeTrajectory({
    ...{
      key,
      step,
      group,
      sample,
      attempt,
      seed,
      task: "",
      prompt: "",
      reward: sample,
      finish: "submitted",
      turns: [],
      contexts: [],
      shared: 0,
    },
    ...{ startedAt: 0, seconds: 0, stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 }, metrics: {} },
    tokens_T: Int32Array.of(1, 2),
    lossMask_T: Uint8Array.of(0, 1),
    logprobs_T: Float32Array.of(0, -1),
    versions_T: Uint32Array.of(0, version),
  });
}

const done = (ask: Ask): Outcome => ({
  ...{
    key: ask.key,
    status: "done",
    reason: "",
    reward: 0,
    tokens: 2,
    turns: 1,
    retries: 0,
    finish: "submitted",
    metrics: {},
  },
});

interface World {
  version: number;
  log: MemoryLog;
  asks: Ask[];
}

/** `play` stands for the rollout actors: it may publish what it likes. */
async function during(
  options: Pick<GenerationOptions, "wanted" | "samples" | "maxStaleness"> &
    Partial<GenerationOptions> & { store?: string },
  play: (ask: Ask, world: World) => Promise<Outcome>,
  body: (generation: Generation, world: World) => Promise<void>,
): Promise<void> {
  const log = new MemoryLog("test");
  const world: World = { version: 0, log, asks: [] };
  const pool = {
    play: (asks: readonly Ask[]) => {
      world.asks.push(...asks);
      return Promise.all(asks.map((ask) => play(ask, world)));
    },
  };
  const store = new EpisodeStore(options.store ?? mkdtempSync(join(folder, "episodes-")));
  const generation = new Generation(pool, log, store, {
    ...{ run: "r", firstVersion: 0, signal: new AbortController().signal, line: () => {}, dynamic: null },
    ...{ ordered: true, spare: 0, staleTokens: "redo", maxAttempts: 4, workers: 8 },
    roots: options.samples,
    ...options,
    describe: ({ step, group, sample }) => ({ seed: step * 100 + group * 10 + sample, task: null, sampling }),
  });
  try {
    await body(generation, world);
  } finally {
    await generation.close();
    await store.close();
  }
}

test("no sample is ever trained on at more than the staleness bound, whatever order the episodes end in", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.infiniteStream(fc.nat(3)), async (maxStaleness, delays) => {
      await during(
        { wanted: 2, samples: 2, maxStaleness },
        async (ask, world) => {
          const { version } = world; // of the weights it begins with: its oldest token
          for (let turn = delays.next().value!; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
          await world.log.publish(ask.key, trajectory(ask, version));
          return done(ask);
        },
        async (generation, world) => {
          for (let step = 0; step < 6; step++) {
            await generation.openUpTo(world.version, 5);
            const taken = await generation.take(step, 5000);
            const oldest = taken.groups.flat().map((e) => e.trajectory.versions_T[1]!);
            assert.equal(oldest.length, 4);
            for (const version of oldest) assert.ok(step - version <= maxStaleness && step - version >= 0);
            world.version++;
          }
          assert.equal(generation.stale, 0);
        },
      );
    }),
    { numRuns: 30 },
  );
});

test("in the order of groups and samples, however they arrive, and once each", async () => {
  await during(
    { wanted: 2, samples: 2, maxStaleness: 0 },
    async (ask, { log }) => {
      await log.publish(`${ask.key}-late-${Math.random()}`, trajectory(ask, 0)); // another message of the same sample
      await log.publish(ask.key, trajectory(ask, 0));
      return done(ask);
    },
    async (generation) => {
      await generation.openUpTo(0, 0);
      const taken = await generation.take(0, 5000);
      const places = taken.groups.map((group) => group.map(({ trajectory: t }) => `${t.group}/${t.sample}`));
      assert.deepEqual(places, [
        ["0/0", "0/1"],
        ["1/0", "1/1"],
      ]);
    },
  );
});

test("a trajectory by weights that are too old is dropped, and asked for under a new key", async () => {
  await during(
    { wanted: 1, samples: 1, maxStaleness: 1 },
    async (ask, { log }) => {
      await log.publish(ask.key, trajectory(ask, ask.attempt === 0 ? 0 : ask.step));
      return done(ask);
    },
    async (generation, world) => {
      for (let step = 0; step < 3; step++) {
        await generation.openUpTo(step, 2);
        await generation.take(step, 5000);
      }
      assert.equal(generation.stale, 1);
      assert.deepEqual(
        world.asks.filter(({ step }) => step === 2).map(({ key }) => key),
        ["r/2/0/0/0", "r/2/0/0/1"],
      );
    },
  );
});

test("a sample that fails for no fault of the policy leaves its group smaller", async () => {
  await during(
    { wanted: 1, samples: 3, maxStaleness: 0 },
    async (ask, { log }) => {
      if (ask.sample === 1) return { ...done(ask), status: "failed", reason: "the sandbox broke" };
      await log.publish(ask.key, trajectory(ask, 0));
      return done(ask);
    },
    async (generation) => {
      await generation.openUpTo(0, 0);
      const taken = await generation.take(0, 5000);
      assert.deepEqual(
        taken.groups[0]!.map(({ trajectory: t }) => t.sample),
        [0, 2],
      );
      assert.deepEqual(taken.failures, ["the sandbox broke"]);
    },
  );
});

test("branches are asked for once what they branch off is there, and begin at one of its turns", async () => {
  const turns = [1, 2, 3].map((end) => ({ ...turn, start: end - 1, end }));
  const tokens = { tokens_T: Int32Array.of(1, 2, 3), lossMask_T: Uint8Array.of(1, 1, 1), turns };
  await during(
    { wanted: 1, samples: 5, roots: 2, maxStaleness: 0 },
    async (ask, { log, asks }) => {
      if (ask.sample >= 2) assert.ok(asks.findIndex(({ sample }) => sample === ask.sample % 2) < asks.indexOf(ask));
      if (ask.sample === 1) return { ...done(ask), status: "failed", reason: "the sandbox broke" };
      await log.publish(ask.key, encodeTrajectory({ ...decodeTrajectory(trajectory(ask, 0)), ...tokens }));
      return done(ask);
    },
    async (generation, { asks }) => {
      await generation.openUpTo(0, 0);
      const taken = await generation.take(0, 5000);
      assert.equal(taken.groups[0]!.length, 4);
      for (const { sample, progress } of asks) {
        const begun = progress && decodeTrajectory(progress);
        assert.equal(begun !== undefined, sample === 2 || sample === 4, "what branches off a failed one begins anew");
        if (!begun) continue;
        assert.ok(begun.turns.length >= 1 && begun.turns.length <= 2 && begun.finish === "");
        assert.deepEqual([begun.shared, begun.tokens_T.length], [begun.turns.length, begun.turns.length]);
      }
    },
  );
});

const turn = { start: 1, end: 2, action: "look", observation: "", reward: 0, potential: 0, summary: false };

test("how far an episode is goes to whoever is asked for it next, also after the trainer was started again", async () => {
  const store = mkdtempSync(join(folder, "progress-"));
  const rules = { wanted: 1, samples: 1, maxStaleness: 0, store };
  const partial = (ask: Ask) =>
    encodeTrajectory({ ...decodeTrajectory(trajectory(ask, 0)), finish: "", turns: [turn] });
  await during(
    rules,
    async (ask, { log }) => {
      await log.publish(`${ask.key}+1`, partial(ask));
      while (!ask.progress) await new Promise((resolve) => setImmediate(resolve)); // the pool would ask again with it
      return { ...done(ask), status: "failed", reason: "its actor died" };
    },
    async (generation) => {
      await generation.openUpTo(0, 0);
      assert.deepEqual((await generation.take(0, 5000)).failures, ["its actor died"]);
    },
  );
  await during(
    rules,
    async (ask, { log }) => {
      assert.deepEqual(decodeTrajectory(ask.progress!).turns, [turn]);
      await log.publish(ask.key, trajectory(ask, 0));
      return done(ask);
    },
    async (generation) => {
      await generation.openUpTo(0, 0);
      assert.equal((await generation.take(0, 5000)).groups.flat().length, 1);
    },
  );
});

const dynamic = { type: "filter", maxBatches: 3, minReplaceRatio: 0.5 } as const;

/** Rewards are 0 and 1 in a group that teaches something, else all 0. */
async function publish(ask: Ask, log: MemoryLog, teaches: (group: number) => boolean): Promise<Outcome> {
  const bytes = trajectory(ask, 0);
  await log.publish(ask.key, teaches(ask.group) ? bytes : encodeTrajectory({ ...decodeTrajectory(bytes), reward: 0 }));
  return done(ask);
}

test("groups that all score the same are left out, and others asked for until there are enough", async () => {
  await during(
    { wanted: 2, samples: 2, maxStaleness: 0, dynamic },
    (ask, { log }) => publish(ask, log, (group) => group === 1 || group === 3),
    async (generation, world) => {
      await generation.openUpTo(0, 0);
      const taken = await generation.take(0, 5000);
      const kept = taken.groups.map((group) => group.map(({ trajectory: t }) => t.group));
      assert.deepEqual(kept, [
        [1, 1],
        [3, 3],
      ]);
      assert.equal(world.asks.length, 8); // two at first, then one, and one more
      assert.deepEqual([taken.droppedGroups, taken.dropped[0]!.reason], [2, "all its scores are the same"]);
    },
  );
});

test("a bounded number of batches is asked for, then the step fails and says so", async () => {
  await during(
    { wanted: 2, samples: 2, maxStaleness: 0, dynamic },
    (ask, { log }) => publish(ask, log, (group) => group === 0),
    async (generation, world) => {
      await generation.openUpTo(0, 0);
      await assert.rejects(
        generation.take(0, 5000),
        /dynamic sampling: in 3 batches of step 0 only 1 of 2 prompts gave samples that score differently/,
      );
      assert.equal(world.asks.length, 12);
    },
  );
});

test("replace is content with a share of the groups, and a group whose samples all failed is no such group", async () => {
  await during(
    { wanted: 4, samples: 2, maxStaleness: 0, dynamic: { ...dynamic, type: "replace" } },
    async (ask, { log }) => {
      if (ask.group === 3) return { ...done(ask), status: "failed", reason: "the node was lost" };
      return publish(ask, log, (group) => group > 0);
    },
    async (generation, world) => {
      await generation.openUpTo(0, 0);
      const taken = await generation.take(0, 5000);
      assert.deepEqual(
        taken.groups.map((group) => group.length),
        [2, 2],
      );
      assert.equal(world.asks.length, 8);
      assert.deepEqual(taken.failures, ["the node was lost", "the node was lost"]);
    },
  );
});

test("a trajectory that never comes ends the wait with its name", async () => {
  await during(
    { wanted: 1, samples: 2, maxStaleness: 0 },
    async (ask, { log }) => {
      if (ask.sample === 0) await log.publish(ask.key, trajectory(ask, 0));
      return done(ask);
    },
    async (generation) => {
      await generation.openUpTo(0, 0);
      await assert.rejects(
        generation.take(0, 20),
        /the trajectories of step 0 took longer than 20 ms: 0\/0\/1 did not come/,
      );
    },
  );
});
