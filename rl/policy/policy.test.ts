import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Learner, type ModelConfig } from "../../native/index.js";
import { isActorsError, localSystem } from "../../runtime/index.js";
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
