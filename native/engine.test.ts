import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Engine, type Generation, type GenerationRequest, type Learner } from "./index.js";
import {
  batchOf,
  engineFor,
  failsWith,
  finishAll,
  folderFor,
  generateOne,
  learnerFor,
  maxDifference,
  numbers,
  smallModel,
} from "./test/helpers.js";

function request(seed: number, more: Partial<GenerationRequest> = {}): GenerationRequest {
  const next = numbers(seed + 1);
  const tokens = new Int32Array(1 + Math.floor(next() * 40)).map(() => Math.floor(next() * smallModel.vocabSize));
  return { tokens, maxTokens: 20, temperature: 1, stop: [], seed, ...more };
}

async function learnerLogprobs(learner: Learner, prompt: Int32Array, generated: Int32Array): Promise<Float32Array> {
  const tokens = Int32Array.from([...prompt, ...generated]);
  const { logp } = await learner.logprobs({ tokens, starts: Int32Array.of(0, tokens.length) });
  return logp.slice(prompt.length);
}

describe("an engine", () => {
  it("reports the learner's log-probabilities of what it sampled", async (t) => {
    const learner = learnerFor(t);
    const engine = await engineFor(t, learner);
    const requests = Array.from({ length: 20 }, (_, i) => request(i));
    const ids = requests.map((r) => engine.submit(r));
    const done = await finishAll(engine);
    for (const [i, id] of ids.entries()) {
      const { tokens, logprobs, version, versions } = done.get(id)!;
      assert.equal(tokens.length, 20);
      assert.ok(maxDifference(logprobs, await learnerLogprobs(learner, requests[i]!.tokens, tokens)) < 1e-4);
      assert.deepEqual([version, [...new Set(versions)]], [1, [1]]);
    }
  });

  it("decodes greedily what the full forward pass ranks first", async (t) => {
    const learner = learnerFor(t);
    const engine = await engineFor(t, learner);
    const { tokens: prompt } = request(3);
    const { tokens } = await generateOne(engine, request(3, { temperature: 0 }));
    for (let i = 0; i < 5; i++) {
      const prefix = [...prompt, ...tokens.slice(0, i)];
      const candidates = Array.from({ length: smallModel.vocabSize }, (_, id) => [...prefix, id]);
      const starts = Int32Array.from(candidates, (_, c) => c * (prefix.length + 1));
      const packed = {
        tokens: Int32Array.from(candidates.flat()),
        starts: Int32Array.from([...starts, candidates.length * (prefix.length + 1)]),
      };
      const { logp } = await learner.logprobs(packed);
      const scores = candidates.map((_, c) => logp[(c + 1) * (prefix.length + 1) - 1]!);
      assert.equal(tokens[i], scores.indexOf(Math.max(...scores)));
    }
  });

  it("gives a sequence the same tokens and log-probabilities bit for bit whatever else runs and however it is cut", async (t) => {
    const learner = learnerFor(t);
    const reference = await engineFor(t, learner, 1);
    const wanted = new Map<number, Generation>();
    for (let seed = 0; seed < 12; seed++) wanted.set(seed, await generateOne(reference, request(seed)));
    const property = fc.asyncProperty(
      fc.shuffledSubarray([...wanted.keys()], { minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 3 }),
      async (seeds, maxSequences, maxSteps, threads) => {
        const engine = await engineFor(t, learner, maxSequences, threads);
        const ids = seeds.map((seed) => engine.submit(request(seed)));
        const done = await finishAll(engine, maxSteps);
        for (const [i, seed] of seeds.entries()) {
          const { tokens, logprobs } = done.get(ids[i]!)!;
          assert.deepEqual([tokens, logprobs], [wanted.get(seed)!.tokens, wanted.get(seed)!.logprobs]);
        }
        engine.close();
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });

  it("cuts a prompt longer than a step's budget without changing a bit", async (t) => {
    const learner = learnerFor(t, { ...smallModel, maxSeqLen: 1500 });
    const engine = await engineFor(t, learner, 2);
    const tokens = batchOf([1300]).tokens;
    const generation = await generateOne(engine, { tokens, maxTokens: 5, temperature: 1, stop: [], seed: 4 });
    assert.ok(maxDifference(generation.logprobs, await learnerLogprobs(learner, tokens, generation.tokens)) < 1e-4);
  });

  it("reuses a session's cache without changing a bit", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    let tokens = request(1).tokens;
    for (let turn = 0; turn < 4; turn++) {
      const alone = await generateOne(engine, request(turn, { tokens, maxTokens: 9 }));
      const inSession = await generateOne(engine, request(turn, { tokens, maxTokens: 9, session: "episode" }));
      assert.deepEqual([inSession.tokens, inSession.logprobs], [alone.tokens, alone.logprobs]);
      // The next turn sees this one's answer, a tool's reply, and on the third turn an edited history.
      tokens = Int32Array.from([...tokens.slice(turn === 2 ? 3 : 0), ...alone.tokens, 7, 8, 9]);
    }
    engine.release("episode");
    engine.release("unknown");
  });

  it("evicts the sessions unused for longest when the cache is full, and still answers right", async (t) => {
    const engine = await engineFor(t, learnerFor(t), 2);
    const wanted = await generateOne(engine, request(5));
    for (let i = 0; i < 30; i++) await generateOne(engine, request(5, { session: `s${i}` }));
    const again = await generateOne(engine, request(5, { session: "s0" }));
    assert.deepEqual(again.logprobs, wanted.logprobs);
  });

  it("refuses a second turn of a session while the first is being generated", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    engine.submit(request(1, { session: "x" }));
    await failsWith("INVALID_ARGUMENT", /session x is still generating/, () =>
      engine.submit(request(2, { session: "x" })),
    );
    await finishAll(engine);
    await generateOne(engine, request(2, { session: "x" }));
  });

  it("ends at a stop token and keeps it", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    const free = await generateOne(engine, request(1));
    const stop = free.tokens[5]!;
    const first = free.tokens.indexOf(stop);
    const stopped = await generateOne(engine, request(1, { stop: [stop] }));
    assert.deepEqual([...stopped.tokens], [...free.tokens.slice(0, first + 1)]);
    assert.deepEqual([stopped.finish, free.finish], ["stop", "length"]);
  });

  it("stops at the model's maximal length", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    const generation = await generateOne(engine, { ...request(1), tokens: batchOf([120]).tokens, maxTokens: 1000 });
    assert.deepEqual([generation.tokens.length, generation.finish], [8, "length"]);
  });

  it("samples from the softmax: frequencies match probabilities", async (t) => {
    const learner = learnerFor(t, { ...smallModel, vocabSize: 6 });
    const engine = await engineFor(t, learner, 64);
    const tokens = Int32Array.of(1, 2, 3);
    const draw = async (more: Partial<GenerationRequest>) => {
      const counts = new Array<number>(6).fill(0);
      const logprobs = new Array<number>(6).fill(Number.NEGATIVE_INFINITY);
      for (let seed = 0; seed < 4000; seed++)
        engine.submit({ tokens, maxTokens: 1, temperature: 1, stop: [], seed, ...more });
      for (const {
        tokens: [token],
        logprobs: [logp],
      } of (await finishAll(engine)).values()) {
        counts[token!]!++;
        logprobs[token!] = logp!;
      }
      return { counts, logprobs };
    };
    const plain = await draw({});
    for (const [id, count] of plain.counts.entries()) {
      const p = Math.exp(plain.logprobs[id]!);
      assert.ok(
        Math.abs(count - 4000 * p) < 5 * Math.sqrt(4000 * p * (1 - p)) + 1,
        `token ${id}: ${count} of ${4000 * p}`,
      );
    }
    const top = [...plain.logprobs].sort((a, b) => b - a);
    const kept = await draw({ topK: 2 });
    assert.equal(kept.counts.filter((count) => count > 0).length, 2);
    const mass = Math.exp(top[0]!) + Math.exp(top[1]!);
    assert.ok(Math.abs(Math.max(...kept.logprobs) - (top[0]! - Math.log(mass))) < 1e-5);
    const nucleus = await draw({ topP: Math.exp(top[0]!) + 1e-4 });
    assert.equal(nucleus.counts.filter((count) => count > 0).length, 2);
    const narrow = await draw({ topP: 1e-6 });
    assert.deepEqual([Math.max(...narrow.counts), Math.max(...narrow.logprobs)], [4000, 0]);
    const cold = await draw({ temperature: 0.1 });
    assert.ok(Math.max(...cold.counts) > Math.max(...plain.counts));
  });

  it("takes new weights between steps: each token carries its version and that version's log-probability", async (t) => {
    const [a, b] = [learnerFor(t), learnerFor(t, smallModel, 2)];
    const engine = await engineFor(t, a);
    const file = `${folderFor(t)}/other`;
    await b.publish(file);
    const wanted = request(1, { maxTokens: 60, session: "s" });
    engine.submit(wanted);
    assert.deepEqual(await engine.run(20), []);
    await engine.loadWeights(file, 2);
    const [generation] = await engine.run(100);
    const { tokens, logprobs, version, versions } = generation!;
    assert.equal(version, 1);
    assert.deepEqual([...versions], [...new Array(20).fill(1), ...new Array(40).fill(2)]);
    const [under1, under2] = [
      await learnerLogprobs(a, wanted.tokens, tokens),
      await learnerLogprobs(b, wanted.tokens, tokens),
    ];
    assert.ok(maxDifference(logprobs.slice(0, 20), under1.slice(0, 20)) < 1e-4);
    assert.ok(maxDifference(logprobs.slice(20), under2.slice(20)) < 1e-4);
  });

  it("loads weights and takes requests while it decodes", async (t) => {
    const learner = learnerFor(t);
    const engine = await engineFor(t, learner);
    const file = `${folderFor(t)}/next`;
    await learner.publish(file);
    engine.submit(request(1, { maxTokens: 80 }));
    const running = engine.run(1000);
    const late = engine.submit(request(2, { maxTokens: 1 }));
    await engine.loadWeights(file, 2);
    await running;
    await finishAll(engine);
    assert.ok(late > 1);
  });

  it("forgets an aborted request, and an aborted run loses nothing", async (t) => {
    const engine = await engineFor(t, learnerFor(t), 2);
    const [kept, dropped] = [engine.submit(request(1)), engine.submit(request(2))];
    engine.submit(request(3));
    await engine.run(5);
    engine.abort(dropped);
    engine.abort(12345);
    await failsWith("ABORTED", /aborted/, () => engine.run(5, AbortSignal.abort()));
    const done = await finishAll(engine);
    assert.equal(engine.active, 0);
    assert.deepEqual([done.has(kept), done.has(dropped), done.size], [true, false, 2]);
  });

  it("says what is missing or wrong", async (t) => {
    const bare = Engine.open(smallModel, { maxSequences: 1 });
    t.after(() => bare.close());
    assert.deepEqual(await bare.run(1), []);
    bare.submit(request(1));
    await failsWith("NOT_READY", /loadWeights/, () => bare.run(1));
    await failsWith("IO", /could not open/, () => bare.loadWeights("/nonexistent", 1));
    const bad = (more: object, message: RegExp) =>
      failsWith("INVALID_ARGUMENT", message, () => bare.submit(request(1, more)));
    await bad({ tokens: new Int32Array(0) }, /at least one token/);
    await bad({ tokens: Int32Array.of(50) }, /outside the vocabulary/);
    await bad({ tokens: new Int32Array(128) }, /no room/);
    await bad({ maxTokens: 0 }, /maxTokens/);
    await bad({ temperature: -1 }, /temperature/);
    await bad({ topP: 0 }, /topP/);
    await bad({ topK: -1 }, /topK/);
    await bad({ stop: "x" }, /stop/);
    await failsWith("INVALID_ARGUMENT", /maxSteps/, () => bare.run(0));
    await failsWith("INVALID_ARGUMENT", /maxSequences/, () => Engine.open(smallModel, { maxSequences: 0 }));
  });

  it("refuses weights of another shape, and names a version that gives NaN", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    const file = `${folderFor(t)}/weights`;
    await learnerFor(t, { ...smallModel, dim: 16 }).publish(file);
    await failsWith("CORRUPT_FILE", /shape \[50, 16\], the model needs \[50, 32\]/, () => engine.loadWeights(file, 2));
    const broken = learnerFor(t);
    await broken.forwardBackward(batchOf([9]), { kind: "cross_entropy", normalizer: 1 });
    await broken.optimStep({ lr: 1e38 });
    await broken.publish(file);
    await engine.loadWeights(file, 3);
    engine.submit(request(1));
    await failsWith("CORRUPT_FILE", /weights version 3 give logits that are not finite/, () => engine.run(3));
    await learnerFor(t).publish(file);
    await engine.loadWeights(file, 4);
    assert.equal((await finishAll(engine)).size, 1);
  });

  it("rejects its run when it is closed meanwhile", async (t) => {
    const learner = learnerFor(t, { ...smallModel, layers: 8, maxSeqLen: 4000 });
    const engine = await engineFor(t, learner);
    engine.submit(request(1, { maxTokens: 3900 }));
    const running = failsWith("CLOSED", /closed/, () => engine.run(10000));
    engine.close();
    await running;
    await failsWith("CLOSED", /closed/, () => engine.submit(request(1)));
  });
});
