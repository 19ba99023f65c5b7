import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Learner, type ModelConfig } from "../../native/index.js";
import { isActorsError, localSystem } from "../../runtime/index.js";
import { builtIn } from "../environments/built-in.js";
import { type PolicyOptions, policyActor } from "./actor.js";
import { latestWeights, pointToWeights } from "./weights.js";

const folder = mkdtempSync("/dev/shm/policy-test-");
after(() => rmSync(folder, { recursive: true }));

const model: ModelConfig = {
  ...{ vocabSize: 11, dim: 16, layers: 2, heads: 2, kvHeads: 1, headDim: 8, ffnDim: 24 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 32 },
};

async function publish(prefix: string, version: number) {
  const learner = Learner.create(model, version);
  const path = `${prefix}weights-${version}`;
  const ref = { version, path, ...(await learner.publish(path)) };
  learner.close();
  return ref;
}

const options = (name: string): PolicyOptions => ({ model, maxSequences: 8, threads: 1, prefix: join(folder, name) });
const request = (seed: number, length = 3) => ({
  tokens: new Uint8Array(Int32Array.from({ length }, (_, i) => (seed + i) % 11).buffer),
  ...{ maxTokens: 8, temperature: 1, stop: [0], seed },
});
const ints = (bytes: Uint8Array | null | undefined) => [...new Int32Array(new Uint8Array(bytes ?? []).buffer)];

test("without weights a policy says so, and that trying again can help", async () => {
  await using system = await localSystem();
  const policy = await system.spawn(policyActor, { args: [options("none-")] });
  await assert.rejects(policy.generate(request(1)), (error) => isActorsError(error, "UNAVAILABLE") && error.retryable);
});

test("a policy that starts anew serves the version in force, and every token says which it was", async () => {
  await using system = await localSystem();
  const prefix = join(folder, "anew-");
  await pointToWeights(prefix, await publish(prefix, 7));
  assert.equal((await latestWeights(prefix))?.version, 7);
  const policy = await system.spawn(policyActor, { args: [options("anew-")] });
  const reply = await policy.generate(request(1));
  const tokens = ints(reply.tokens);
  assert.ok(tokens.length >= 1 && tokens.length <= 8);
  assert.deepEqual(
    ints(reply.versions),
    tokens.map(() => 7),
  );
  assert.equal(reply.logprobs?.length, tokens.length * 4);
});

test("an older version does not replace a newer one", async () => {
  await using system = await localSystem();
  const prefix = join(folder, "old-");
  const policy = await system.spawn(policyActor, { args: [options("old-")] });
  const [three, four] = [await publish(prefix, 3), await publish(prefix, 4)];
  assert.equal(await policy.load(four), 4);
  assert.equal(await policy.load(three), 4);
  assert.equal((await policy.generate(request(1))).version, 4);
});

test("many callers at once get what each would get alone", async () => {
  await using system = await localSystem();
  const prefix = join(folder, "many-");
  const policy = await system.spawn(policyActor, { args: [options("many-")] });
  await policy.load(await publish(prefix, 1));
  const seeds = Array.from({ length: 40 }, (_, i) => i);
  const together = await Promise.all(seeds.map((seed) => policy.generate(request(seed, 2 + (seed % 6)))));
  for (const seed of seeds) {
    const alone = await policy.generate(request(seed, 2 + (seed % 6)));
    assert.deepEqual(ints(together[seed]!.tokens), ints(alone.tokens));
    assert.deepEqual(ints(together[seed]!.logprobs), ints(alone.logprobs));
  }
});

test("a caller that no longer waits leaves the others alone", async () => {
  await using system = await localSystem();
  const prefix = join(folder, "left-");
  const policy = await system.spawn(policyActor, { args: [options("left-")] });
  await policy.load(await publish(prefix, 1));
  const leave = new AbortController();
  const left = policy.generate.with({ signal: leave.signal })(request(1));
  const staying = policy.generate(request(2));
  leave.abort();
  await assert.rejects(left, (error) => isActorsError(error, "CANCELLED"));
  assert.ok(ints((await staying).tokens).length > 0);
});

test("paused, a policy stands still, ends or finishes what it has, and goes on exactly where it was", async () => {
  await using system = await localSystem();
  const prefix = join(folder, "pause-");
  const policy = await system.spawn(policyActor, { args: [options("pause-")] });
  await policy.load(await publish(prefix, 1));
  const long = { ...request(1), maxTokens: 28, stop: [] };
  const wanted = await policy.generate(long);
  for (const mode of ["keep", "wait", "abort"] as const) {
    await policy.pause({ mode });
    const late = policy.generate(long);
    assert.deepEqual([(await policy.stats()).paused, (await policy.stats()).running], [true, 0]);
    await policy.resume();
    assert.deepEqual(ints((await late).tokens), ints(wanted.tokens));
    const cut = policy.generate(long);
    await policy.pause({ mode });
    if (mode === "keep") await policy.resume();
    const { finish, tokens } = await cut;
    assert.ok(finish === (mode === "abort" ? "abort" : "length") || ints(tokens).length === 28);
    assert.deepEqual(ints(tokens), ints(wanted.tokens).slice(0, ints(tokens).length));
    if (mode !== "keep") await policy.resume();
  }
});

test("stop strings end an action where the environment's tokenizer says, and the likeliest tokens are told", async () => {
  await using system = await localSystem();
  const prefix = join(folder, "stop-");
  const { tokenizer } = builtIn.quickstart!;
  const big = { ...model, vocabSize: tokenizer.vocabSize };
  const learner = Learner.create(big, 1);
  const path = `${prefix}weights-1`;
  const ref = { version: 1, path, ...(await learner.publish(path)) };
  learner.close();
  const args = { ...options("stop-"), model: big };
  const policy = await system.spawn(policyActor, {
    args: [{ ...args, environment: { module: null, name: "quickstart" } }],
  });
  await policy.load(ref);
  const wish = { ...request(1), maxTokens: 24, stop: [] };
  const free = ints((await policy.generate(wish)).tokens);
  const text = tokenizer.decode(Int32Array.from(free));
  const stop = text.slice(4, 6);
  const { tokens, finish, stopString, topTokens } = await policy.generate({
    ...wish,
    stopStrings: [stop],
    logprobs: 3,
  });
  const got = tokenizer.decode(Int32Array.from(ints(tokens)));
  const prefixes = free.map((_, i) => tokenizer.decode(Int32Array.from(free.slice(0, i + 1))));
  assert.deepEqual([finish, stopString, got], ["stop", stop, prefixes.find((prefix) => prefix.includes(stop))]);
  assert.equal(ints(topTokens).length, 3 * ints(tokens).length);
  const blind = await system.spawn(policyActor, { args: [args] });
  await blind.load(ref);
  await assert.rejects(blind.generate({ ...wish, stopStrings: ["x"] }), /knows no tokenizer/);
});
