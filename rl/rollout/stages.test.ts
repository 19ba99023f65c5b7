import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { loopTurn } from "../../runtime/core/wait.js";
import { isActorsError } from "../../runtime/index.js";
import { Pipeline, type Stage, stageNames } from "./stages.js";

const options = (places: Record<Stage, number>, ms = 60_000) => ({
  places,
  timeoutMs: { init: ms, run: ms, reward: ms },
  queueMs: ms,
});
const turns = fc.integer({ min: 0, max: 5 });

test("no stage ever holds more than its places, all episodes come through, and an abort loses no place", async () => {
  const places = fc.record({
    init: fc.integer({ min: 1, max: 4 }),
    run: fc.integer({ min: 1, max: 4 }),
    reward: fc.integer({ min: 1, max: 4 }),
  });
  const episode = fc.record({ init: turns, run: turns, reward: turns, abortAfter: fc.option(turns, { nil: null }) });
  await fc.assert(
    fc.asyncProperty(places, fc.array(episode, { minLength: 1, maxLength: 20 }), async (places, episodes) => {
      const pipeline = new Pipeline(options(places));
      const inside: Record<Stage, number> = { init: 0, run: 0, reward: 0 };
      const play = async ({ abortAfter, ...work }: (typeof episodes)[number]) => {
        const abort = new AbortController();
        using passage = pipeline.passage(abort.signal);
        const aborted = (async () => {
          if (abortAfter === null) return;
          for (let i = 0; i < abortAfter; i++) await loopTurn();
          abort.abort();
        })();
        let passed = 0;
        try {
          for (const stage of stageNames) {
            let entered = false;
            const through = passage.through(stage, async () => {
              entered = true;
              assert.ok(++inside[stage] <= places[stage], `${inside[stage]} in ${stage}`);
              for (let i = 0; i < work[stage]; i++) await loopTurn();
            });
            await through.finally(() => {
              if (entered) inside[stage]--;
            });
            passed++;
          }
        } catch (error) {
          if (!isActorsError(error, "CANCELLED")) throw error;
        }
        await aborted;
        if (abortAfter === null) assert.equal(passed, 3);
      };
      await Promise.all(episodes.map(play));
      // Every place was given back: as many as there are can be taken at once.
      for (const stage of stageNames) {
        const taken = Array.from({ length: places[stage] }, () => pipeline.passage(new AbortController().signal));
        await Promise.all(taken.map((passage) => passage.enter(stage)));
        for (const passage of taken) passage[Symbol.dispose]();
      }
    }),
    { numRuns: 60 },
  );
});

test("an episode keeps its place until the next stage has one for it", async () => {
  const pipeline = new Pipeline(options({ init: 1, run: 1, reward: 1 }));
  const { signal } = new AbortController();
  const [a, b, c] = [pipeline.passage(signal), pipeline.passage(signal), pipeline.passage(signal)];
  await a.enter("init");
  await a.enter("run");
  await b.enter("init");
  const waiting = b.enter("run");
  let entered = false;
  const third = c.enter("init").then(() => {
    entered = true;
  });
  await loopTurn();
  assert.equal(entered, false, "a prepared episode that waits to run holds up those to be prepared");
  a[Symbol.dispose]();
  await Promise.all([waiting, third]);
  b[Symbol.dispose]();
  c[Symbol.dispose]();
});

test("whoever waits too long for a place is told which, retryably", async () => {
  const pipeline = new Pipeline(options({ init: 1, run: 1, reward: 1 }, 20));
  const { signal } = new AbortController();
  await pipeline.passage(signal).enter("init");
  await assert.rejects(pipeline.passage(signal).enter("init"), (error) => {
    assert.ok(isActorsError(error, "DEADLINE_EXCEEDED") && error.retryable);
    assert.match(error.message, /a place in the init stage took longer than 20 ms/);
    return true;
  });
});

test("what is sampled in a stage is called off when the stage's time is over", async () => {
  const { signal } = new AbortController();
  const passage = new Pipeline(options({ init: 1, run: 1, reward: 1 }, 20)).passage(signal);
  const late = passage.through("run", () => passage.generate(heldUp));
  await assert.rejects(late, (error) => isActorsError(error, "DEADLINE_EXCEEDED"));
  await assert.rejects(
    passage.generate(async (given) => given.throwIfAborted()),
    { name: "AbortError" },
  );
});

/** Until it is called off. */
const heldUp = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
