import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Generation, GenerationRequest } from "./index.js";
import { batchOf, engineFor, finishAll, folderFor, generateOne, learnerFor, smallModel } from "./test/helpers.js";

const bits = ({ tokens, logprobs }: Generation) => [tokens, logprobs];

/** A prompt of `length` tokens of which the first `shared` are the same for every seed. */
function prompt(seed: number, length: number, shared: number): Int32Array {
  const own = batchOf([length], smallModel, 100 + seed).tokens;
  own.set(batchOf([length], smallModel, 1).tokens.subarray(0, shared));
  return own;
}

const request = (tokens: Int32Array, seed: number, more: Partial<GenerationRequest> = {}): GenerationRequest => ({
  ...{ tokens, maxTokens: 12, temperature: 1, stop: [], seed, ...more },
});

describe("sequences that begin alike", () => {
  it("compute what they share once: a group of eight reuses seven prompts, bit for bit", async (t) => {
    const learner = learnerFor(t);
    const tokens = prompt(0, 70, 70);
    const alone = await engineFor(t, learner, 1);
    const wanted: Generation[] = [];
    for (let seed = 0; seed < 8; seed++) {
      wanted.push(await generateOne(alone, request(tokens, seed)));
      assert.equal(alone.stats.reused, 0);
    }
    const engine = await engineFor(t, learner, 8);
    const ids = wanted.map((_, seed) => engine.submit(request(tokens, seed)));
    const done = await finishAll(engine);
    for (const [i, id] of ids.entries()) assert.deepEqual(bits(done.get(id)!), bits(wanted[i]!));
    // The last token of a prompt is always fed; so are all that were generated but the last.
    assert.deepEqual(engine.stats, { active: 0, running: 0, reused: 7 * 69, computed: 69 + 8 * 12 });
    assert.equal(alone.stats.computed, 8 * (69 + 12));
  });

  it("also reuse it where they wait for a place, and leave nothing behind", async (t) => {
    const engine = await engineFor(t, learnerFor(t), 2);
    for (let seed = 0; seed < 6; seed++) engine.submit(request(prompt(0, 50, 50), seed));
    await finishAll(engine);
    assert.equal(engine.stats.reused, 5 * 49);
    await generateOne(engine, request(prompt(0, 50, 50), 9));
    assert.equal(engine.stats.reused, 5 * 49);
  });

  it("branch off a session's earlier turn, wherever they part", async (t) => {
    const learner = learnerFor(t);
    const [engine, fresh] = [await engineFor(t, learner), await engineFor(t, learner)];
    const first = await generateOne(engine, request(prompt(0, 40, 40), 1, { session: "trunk" }));
    const history = Int32Array.from([...prompt(0, 40, 40), ...first.tokens]);
    const branches = [0, 1, 2].map((b) =>
      request(Int32Array.from([...history, b, b + 1, b + 2]), b, { session: `b${b}` }),
    );
    branches.push(request(Int32Array.from([...history.subarray(0, 21), 7]), 3));
    const before = engine.stats.reused;
    const ids = branches.map((branch) => engine.submit(branch));
    const done = await finishAll(engine);
    for (const [i, id] of ids.entries())
      assert.deepEqual(bits(done.get(id)!), bits(await generateOne(fresh, { ...branches[i]!, session: "" })));
    assert.equal(engine.stats.reused - before, 3 * (history.length - 1) + 21);
  });

  it("never change a bit, whatever is shared, cut, released, aborted or loaded anew meanwhile", async (t) => {
    const learner = learnerFor(t);
    const reference = await engineFor(t, learner, 1);
    const known = new Map<string, Generation>();
    const alone = async (wanted: GenerationRequest) => {
      const key = `${wanted.tokens} ${wanted.seed}`;
      if (!known.has(key)) known.set(key, await generateOne(reference, { ...wanted, session: "" }));
      return known.get(key)!;
    };
    const one = fc.record({
      seed: fc.integer({ min: 0, max: 3 }),
      length: fc.constantFrom(2, 16, 17, 33, 64, 80),
      shared: fc.constantFrom(0, 15, 16, 30, 48, 64),
      session: fc.constantFrom("", "", "x", "y"),
      abort: fc.boolean(),
    });
    const property = fc.asyncProperty(
      fc.array(one, { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (wishes, maxSequences, maxSteps) => {
        const engine = await engineFor(t, learner, maxSequences);
        const file = `${folderFor(t)}/same`;
        await learner.publish(file);
        const wanted = new Map<number, GenerationRequest>();
        const results = new Map<number, Generation>();
        const advance = async () => {
          for (const done of await engine.run(maxSteps)) results.set(done.id, done);
        };
        for (const [i, { seed, length, shared, session, abort }] of wishes.entries()) {
          const next = request(prompt(seed, length, Math.min(shared, length)), seed, { session });
          const id = engine.submit(
            session && [...wanted.keys()].some((k) => !results.has(k)) ? { ...next, session: "" } : next,
          );
          if (abort && i % 4 === 3) engine.abort(id);
          else wanted.set(id, next);
          await advance();
          if (i % 5 === 4) engine.release("x");
          if (i === 6) await engine.loadWeights(file, 2);
        }
        while (engine.active > 0) await advance();
        for (const [id, each] of wanted) assert.deepEqual(bits(results.get(id)!), bits(await alone(each)));
        engine.close();
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});
