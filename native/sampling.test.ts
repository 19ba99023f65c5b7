import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import type { GenerationRequest, Learner } from "./index.js";
import {
  batchOf,
  engineFor,
  failsWith,
  finishAll,
  folderFor,
  generateOne,
  learnerFor,
  maxDifference,
  smallModel,
} from "./test/helpers.js";

const prompt = batchOf([9]).tokens;
const request = (more: Partial<GenerationRequest> = {}): GenerationRequest => ({
  ...{ tokens: prompt, maxTokens: 12, temperature: 1, stop: [], seed: 3, ...more },
});

/** The next token's logits after these. */
async function logitsAfter(learner: Learner, tokens: ArrayLike<number>): Promise<number[]> {
  const all = await learner.logits(Int32Array.from(tokens));
  return [...all.slice(all.length - smallModel.vocabSize)];
}

const softmax = (logits: number[]) => {
  const top = Math.max(...logits);
  const e = logits.map((x) => Math.exp(x - top));
  const sum = e.reduce((a, b) => a + b);
  return e.map((x) => x / sum);
};

/** The distribution of the next token by vLLM's definitions, step by step: tokens not yet allowed, penalties, temperature, min-p, top-k, top-p. */
function distribution(logits: number[], r: GenerationRequest, output: number[]): number[] {
  const seen = new Set([...r.tokens, ...output]);
  const x = logits.map((logit, id) => {
    const repeated = seen.has(id)
      ? logit > 0
        ? logit / (r.repetitionPenalty ?? 1)
        : logit * (r.repetitionPenalty ?? 1)
      : logit;
    const count = output.filter((o) => o === id).length;
    const punished = repeated - (r.frequencyPenalty ?? 0) * count - (r.presencePenalty ?? 0) * (count > 0 ? 1 : 0);
    return output.length < (r.minTokens ?? 0) && r.stop.includes(id) ? Number.NEGATIVE_INFINITY : punished;
  });
  if (r.temperature === 0) return softmax(x);
  let p = softmax(x.map((logit) => logit / r.temperature));
  const normalised = () => p.map((each) => each / p.reduce((a, b) => a + b));
  const least = Math.max(...p) * (r.minP ?? 0);
  p = p.map((each) => (each < least ? 0 : each));
  const ranked = [...p].sort((a, b) => b - a);
  if (r.topK) p = p.map((each) => (each < ranked[r.topK! - 1]! ? 0 : each));
  p = normalised();
  const nucleus: number[] = [];
  for (const each of [...p].sort((a, b) => b - a)) {
    if (nucleus.reduce((a, b) => a + b, 0) < (r.topP ?? 1) - 1e-6) nucleus.push(each);
  }
  p = p.map((each) => (each < nucleus.at(-1)! ? 0 : each));
  return normalised();
}

describe("sampling", () => {
  it("draws from the distribution that vLLM's definitions give, and reports its log-probabilities", async (t) => {
    const learner = learnerFor(t);
    const engine = await engineFor(t, learner);
    const settings = fc.record({
      temperature: fc.constantFrom(0, 0.5, 1, 1.3),
      topK: fc.constantFrom(0, 3, 10),
      topP: fc.constantFrom(0.5, 0.9, 1),
      minP: fc.constantFrom(0, 0.3, 0.9),
      repetitionPenalty: fc.constantFrom(1, 1.3, 0.8),
      presencePenalty: fc.constantFrom(0, 0.4),
      frequencyPenalty: fc.constantFrom(0, 0.3),
      minTokens: fc.constantFrom(0, 6),
      logprobs: fc.constantFrom(0, 1, 5),
      stop: fc.constantFrom<number[][]>([], [3, 4, 5, 6, 7, 8, 9]),
      seed: fc.nat(100),
    });
    const property = fc.asyncProperty(settings, async (more) => {
      const wanted = request(more);
      const { tokens, logprobs, topTokens, topLogprobs } = await generateOne(engine, wanted);
      assert.ok(tokens.length >= more.minTokens);
      for (const [i, token] of tokens.entries()) {
        const before = [...tokens.subarray(0, i)];
        const p = distribution(await logitsAfter(learner, [...prompt, ...before]), wanted, before);
        assert.ok(Math.abs(logprobs[i]! - Math.log(p[token]!)) < 1e-4, `${logprobs[i]} is not log ${p[token]}`);
        if (more.temperature === 0) assert.ok(p[token]! > Math.max(...p) - 1e-5);
        const n = more.logprobs;
        const ranked = [...p].sort((a, b) => b - a);
        for (let k = 0; k < n; k++) {
          const [id, logprob] = [topTokens[i * n + k]!, topLogprobs[i * n + k]!];
          if (ranked[k]! < 1e-12) assert.deepEqual([id, logprob], [-1, Number.NEGATIVE_INFINITY]);
          else assert.ok(Math.abs(logprob - Math.log(ranked[k]!)) < 1e-4 && Math.abs(p[id]! - ranked[k]!) < 1e-5);
        }
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it("finds a nucleus of more tokens than it sorts at first", async (t) => {
    const learner = learnerFor(t, { ...smallModel, vocabSize: 700 });
    const engine = await engineFor(t, learner);
    const all = await generateOne(engine, request({ topP: 1 - 1e-9, maxTokens: 30 }));
    const plain = await generateOne(
      engine,
      request({ tokens: Int32Array.from([...prompt, ...all.tokens]), maxTokens: 1 }),
    );
    assert.ok(plain.tokens.length === 1);
    const { logp } = await learner.logprobs({
      tokens: Int32Array.from([...prompt, ...all.tokens]),
      starts: Int32Array.of(0, prompt.length + all.tokens.length),
    });
    assert.ok(maxDifference(all.logprobs, logp.slice(prompt.length)) < 1e-4);
  });

  it("ends at the token that completes a stop string, also across tokens and inside of one", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    await failsWith("INVALID_ARGUMENT", /setVocabulary/, () => engine.submit(request({ stopStrings: ["x"] })));
    // Texts of one to three bytes, in which umlauts are cut in two.
    const texts = Array.from({ length: smallModel.vocabSize }, (_, id) =>
      id % 5 === 0
        ? Uint8Array.of(0xc3)
        : id % 5 === 1
          ? Uint8Array.of(0xa4 + (id % 3))
          : new TextEncoder().encode("abcab".slice(id % 3, 2 + (id % 4))),
    );
    engine.setVocabulary(texts);
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom<string[]>("ab", "bca", "ä", "cabca", "c", "å"), { minLength: 1, maxLength: 3 }),
      fc.nat(30),
      fc.constantFrom(0, 5),
      async (stopStrings, seed, minTokens) => {
        const free = await generateOne(engine, request({ seed, maxTokens: 30 }));
        const cut = await generateOne(engine, request({ seed, maxTokens: 30, stopStrings, minTokens }));
        const textOf = (n: number) => Buffer.concat([...free.tokens.subarray(0, n)].map((id) => texts[id]!));
        const ends = (n: number) =>
          stopStrings.filter(
            (stop) =>
              textOf(n).indexOf(stop) >= 0 &&
              textOf(n).lastIndexOf(stop) + Buffer.from(stop).length > textOf(n - 1).length,
          );
        const length = Array.from({ length: 30 }, (_, i) => i + 1).find((n) => n >= minTokens && ends(n).length > 0);
        assert.deepEqual(cut.tokens, free.tokens.subarray(0, length ?? 30));
        assert.equal(cut.finish, length === undefined ? "length" : "stop");
        assert.ok(length === undefined ? cut.stopString === null : ends(length).includes(cut.stopString!));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("refuses settings that make no sense, by name", async (t) => {
    const engine = await engineFor(t, learnerFor(t));
    const bad = (more: Partial<GenerationRequest>, message: RegExp) =>
      failsWith("INVALID_ARGUMENT", message, () => engine.submit(request(more)));
    await bad({ minP: 1.1 }, /minP/);
    await bad({ repetitionPenalty: 0 }, /repetitionPenalty/);
    await bad({ presencePenalty: Number.NaN }, /presencePenalty/);
    await bad({ minTokens: 13 }, /minTokens/);
    await bad({ logprobs: 51 }, /logprobs/);
    await bad({ stopStrings: [""] }, /stop string/);
    await bad({ stopStrings: "x" as never }, /stopStrings/);
    await failsWith("INVALID_ARGUMENT", /vocabulary has 51/, () =>
      engine.setVocabulary(new Array(51).fill(new Uint8Array(1))),
    );
  });
});

describe("a pause", () => {
  const running = async (t: TestContext, more: Partial<GenerationRequest> = {}) => {
    const learner = learnerFor(t);
    const engine = await engineFor(t, learner, 2);
    const wanted = await generateOne(engine, request({ maxTokens: 30, ...more }));
    engine.submit(request({ maxTokens: 30, ...more }));
    assert.deepEqual(await engine.run(5), []);
    return { engine, wanted, learner };
  };

  it("keep: stands still, takes requests, and goes on as if nothing had been", async (t) => {
    for (const clear of [false, true]) {
      const { engine, wanted } = await running(t);
      engine.pause("keep", clear);
      engine.submit(request({ seed: 8 }));
      assert.deepEqual(await engine.run(100), []);
      assert.deepEqual([engine.stats.active, engine.stats.running], [2, 1]);
      engine.resume();
      const done = [...(await finishAll(engine)).values()];
      assert.deepEqual(done.find(({ tokens }) => tokens.length === 30)!.logprobs, wanted.logprobs);
      assert.equal(done.length, 2);
    }
  });

  it("wait: finishes what runs and begins nothing", async (t) => {
    const { engine, wanted } = await running(t);
    engine.pause("wait");
    engine.submit(request({ seed: 8 }));
    const done = await engine.run(100);
    assert.deepEqual([done.length, done[0]!.tokens], [1, wanted.tokens]);
    assert.deepEqual(await engine.run(100), []);
    assert.deepEqual([engine.stats.active, engine.stats.running], [1, 0]);
    engine.resume();
    assert.equal((await finishAll(engine)).size, 1);
  });

  it("abort: returns what there is, of what has not begun nothing, and frees sessions", async (t) => {
    const { engine, wanted } = await running(t, { session: "s" });
    const [late, later] = [engine.submit(request({ seed: 8 })), engine.submit(request({ seed: 9 }))];
    engine.pause("abort");
    const done = await engine.run(100);
    assert.deepEqual(
      done.map(({ finish }) => finish),
      ["abort", "abort", "abort"],
    );
    assert.deepEqual(done[0]!.tokens, wanted.tokens.subarray(0, 5));
    assert.deepEqual(
      done.slice(1).map(({ id, tokens, version }) => [id, tokens.length, version]),
      [
        [late, 0, -1],
        [later, 0, -1],
      ],
    );
    engine.resume();
    const again = await generateOne(engine, request({ maxTokens: 30, session: "s" }));
    assert.deepEqual(again.logprobs, wanted.logprobs);
  });
});

describe("new weights with kv: keep", () => {
  it("leave the cache as it is: nothing is computed again, versions are told, the rest is what mixed caches give", async (t) => {
    const [a, b] = [learnerFor(t), learnerFor(t, smallModel, 2)];
    const file = `${folderFor(t)}/other`;
    await b.publish(file);
    const results = [];
    for (const kv of ["keep", "recompute"] as const) {
      const engine = await engineFor(t, a);
      engine.submit(request({ maxTokens: 30, session: "s" }));
      await engine.run(10);
      await engine.loadWeights(file, 2, kv);
      const [generation] = await engine.run(100);
      assert.deepEqual([...generation!.versions], [...new Array(10).fill(1), ...new Array(20).fill(2)]);
      // A new request shares only what the new weights computed; the session's own next turn goes on.
      const { reused } = engine.stats;
      const fresh = await generateOne(engine, request({ seed: 5 }));
      assert.equal(engine.stats.reused - reused, kv === "keep" ? 0 : prompt.length - 1);
      assert.ok(fresh.versions.every((version) => version === 2));
      const next = Int32Array.from([...prompt, ...generation!.tokens, 1]);
      await generateOne(engine, request({ tokens: next, session: "s" }));
      results.push({ generation: generation!, computed: engine.stats.computed });
    }
    const [keep, recompute] = results as [(typeof results)[0], (typeof results)[0]];
    assert.equal(recompute.computed - keep.computed, 9 + 10 - prompt.length + 1 - 1);
    assert.deepEqual(keep.generation.logprobs.subarray(0, 10), recompute.generation.logprobs.subarray(0, 10));
    assert.notDeepEqual(keep.generation.logprobs.subarray(10), recompute.generation.logprobs.subarray(10));
  });
});
