import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Learner, type ModelConfig } from "../../../native/index.js";
import { isActorsError, localSystem } from "../../../runtime/index.js";
import { resolveConfig } from "../../config/load.js";
import type { ConfigInput } from "../../config/schema.js";
import { echo, echoModule } from "../../testing/echo.js";
import { startEngineServer } from "../../testing/engine-server.js";
import type { StepMetrics } from "../../trainer/report.js";
import { train } from "../../trainer/train.js";
import { policyActor } from "../actor.js";
import { remotePolicyActor } from "./actor.js";
import { checkServers } from "./dialects.js";

const scratch = mkdtempSync("/dev/shm/remote-test-");
after(() => rmSync(scratch, { recursive: true }));

const model: ModelConfig = {
  ...{ vocabSize: echo.tokenizer.vocabSize, dim: 16, layers: 1, heads: 2, kvHeads: 2, headDim: 8, ffnDim: 32 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 64 },
};

/** A Hugging Face folder, and the same weights for our own engine. */
async function weightsOf(seed: number) {
  const learner = Learner.create(model, seed);
  const [folder, path] = [join(scratch, `hf-${seed}`), join(scratch, `weights-${seed}`)];
  await learner.save(folder);
  const published = await learner.publish(path);
  learner.close();
  return {
    folder,
    native: { version: seed, path, ...published },
    remote: { version: seed, path: folder, ...published },
  };
}
const [first, second] = await Promise.all([weightsOf(1), weightsOf(2)]);
const kinds = ["vllm", "sglang"] as const;
const options = (backend: (typeof kinds)[number], url: string) => ({
  ...{ backend, url, prefix: join(scratch, `${backend}-`), timeoutMs: 10_000, loadMs: 10_000 },
});
const request = (seed: number, maxTokens = 12) => ({
  ...{ tokens: new Uint8Array(Int32Array.of(1, 2, 3).buffer), maxTokens, temperature: 1, topP: 1, stop: [0], seed },
});
const ints = (bytes: Uint8Array | null | undefined) => [...new Int32Array(new Uint8Array(bytes ?? []).buffer)];

test("through the routes of vLLM and SGLang come the tokens, log-probs and versions that the engine gives itself", async () => {
  for (const kind of kinds) {
    await using system = await localSystem();
    await using server = await startEngineServer(kind, first.folder, scratch);
    const remote = await system.spawn(remotePolicyActor, { args: [options(kind, server.url)] });
    assert.equal(await remote.maxSeqLen(), kind === "vllm" ? 64 : null);
    await assert.rejects(remote.generate(request(1)), (e) => isActorsError(e, "UNAVAILABLE") && e.retryable);
    const native = await system.spawn(policyActor, {
      args: [{ model, maxSequences: 8, threads: 1, prefix: join(scratch, "native-") }],
    });
    for (const { native: ours, remote: theirs } of [first, second]) {
      await Promise.all([native.load(ours), remote.load(theirs)]);
      const seeds = [1, 2, 3, 4];
      const replies = await Promise.all(seeds.map((seed) => remote.generate(request(seed))));
      const wanted = await Promise.all(seeds.map((seed) => native.generate(request(seed))));
      for (const [i, reply] of replies.entries()) {
        for (const key of ["tokens", "logprobs", "versions"] as const)
          assert.deepEqual(ints(reply[key]), ints(wanted[i]![key]), `${kind} ${key}`);
        assert.equal(reply.finish, wanted[i]!.finish);
      }
    }
    assert.equal(await remote.load(first.remote), 2, "an older version is ignored");
  }
});

test("new weights end what is under way with what it has; a caller that leaves, ends its own", async () => {
  for (const kind of kinds) {
    await using system = await localSystem();
    await using server = await startEngineServer(kind, first.folder, scratch);
    const remote = await system.spawn(remotePolicyActor, { args: [options(kind, server.url)] });
    await remote.load(first.remote);
    const long = { ...request(5, 60), stop: [] };
    const [cut] = await Promise.all([remote.generate(long), remote.load(second.remote)]);
    const versions = new Set(ints(cut.versions));
    assert.ok(versions.size <= 1, "all tokens of a reply are of one version");
    assert.ok(cut.finish === "abort" || ints(cut.tokens).length === 60);
    const leave = new AbortController();
    const left = remote.generate.with({ signal: leave.signal })(long);
    leave.abort();
    await assert.rejects(left, (e) => isActorsError(e, "CANCELLED"));
    assert.ok(ints((await remote.generate(request(6))).tokens).length > 0);
  }
});

test("whatever comes while weights change, the version told is the one that drew", async () => {
  const seeds = Array.from({ length: 6 }, (_, seed) => seed);
  const long = (seed: number) => ({ ...request(seed, 40), stop: [] });
  await using system = await localSystem();
  const wanted = await Promise.all(
    [first, second].map(async ({ native: weights }, i) => {
      const args = [{ model, maxSequences: 16, threads: 1, prefix: join(scratch, `native-${i}-`) }] as const;
      const policy = await system.spawn(policyActor, { args: [...args] });
      await policy.load(weights);
      return Promise.all(seeds.map(async (seed) => ints((await policy.generate(long(seed))).tokens)));
    }),
  );
  for (const kind of kinds) {
    await using server = await startEngineServer(kind, first.folder, scratch);
    const remote = await system.spawn(remotePolicyActor, { args: [options(kind, server.url)] });
    await remote.load({ ...first.remote, version: 0 });
    const drawn = [0, 1, 2].map(() => Promise.all(seeds.map((seed) => remote.generate(long(seed)))));
    for (let version = 1; version <= 4; version++) {
      const { remote: weights } = version % 2 === 0 ? first : second;
      await remote.load({ ...weights, version });
      drawn.push(Promise.all(seeds.map((seed) => remote.generate(long(seed)))));
    }
    for (const replies of await Promise.all(drawn)) {
      for (const [seed, { tokens, version, versions }] of replies.entries()) {
        const got = ints(tokens);
        assert.deepEqual(got, wanted[version! % 2]![seed]!.slice(0, got.length), `${kind}, version ${version}`);
        assert.ok(ints(versions).every((each) => each === version));
      }
    }
  }
});

test("a server that was started anew gets its weights again before it draws", async () => {
  await using system = await localSystem();
  await using server = await startEngineServer("vllm", first.folder, scratch);
  const remote = await system.spawn(remotePolicyActor, { args: [options("vllm", server.url)] });
  await remote.load(second.remote);
  const wanted = ints((await remote.generate(request(7))).tokens);
  await server.hold();
  const route = "POST /inference/v1/generate";
  const before = server.calls.get(route)!;
  const cut = assert.rejects(remote.generate(request(8)), (e) => isActorsError(e, "UNAVAILABLE") && e.retryable);
  while (server.calls.get(route) === before) await new Promise(setImmediate);
  await server.restart();
  await cut;
  assert.deepEqual(ints((await remote.generate(request(7))).tokens), wanted);
});

test("a server that cannot serve is told before anything starts, with what to do", async () => {
  const config = (backend: string, url: string) =>
    resolveConfig({ generator: { backend, remote_inference_engine_urls: [url] } });
  await using server = await startEngineServer("vllm", first.folder, scratch);
  await checkServers(config("vllm", server.url));
  await assert.rejects(
    checkServers(config("sglang", server.url)),
    /no SGLang serves at 127.*GET .*\/health_generate answered 404/,
  );
  const gone = await startEngineServer("vllm", first.folder, scratch);
  await gone[Symbol.asyncDispose]();
  await assert.rejects(
    checkServers(config("vllm", gone.url)),
    /no vLLM serves at 127.*\/health failed: .*ECONNREFUSED/,
  );
  assert.throws(() => resolveConfig({ generator: { backend: "vllm" } }), /vllm needs at least one/);
});

test("a run trains with a server of another maker, whose weights are those of each step, or says that they are not", async () => {
  const runsDir = mkdtempSync(join(scratch, "runs-"));
  const settings = (backend: (typeof kinds)[number], url: string): ConfigInput => ({
    environment: { env_class: `${echoModule}#echo`, sandboxes: 1, sandbox_backend: "process" },
    trainer: {
      ...{ mode: "sync", max_training_steps: 3, train_batch_size: 4, learner_ranks: 1 },
      policy: { model: { path: first.folder }, optimizer_config: { lr: 0.05 } },
    },
    generator: { backend, remote_inference_engine_urls: [url], n_samples_per_prompt: 4, max_logprob_gap: 1e-4 },
  });
  for (const kind of kinds) {
    await using system = await localSystem();
    await using server = await startEngineServer(kind, first.folder, scratch);
    const steps: StepMetrics[] = [];
    const given = { system, name: kind, runsDir, onStep: (m: StepMetrics) => steps.push(m) };
    const run = await train({ ...given, config: settings(kind, server.url) });
    assert.ok(steps.length === 3 && steps.every((m) => m.mismatch.max < 1e-3 && m.staleness.max === 0));
    assert.ok(!readdirSync(run.folder).includes("weights"));
    if (kind === "sglang") continue;
    server.breakLoads();
    await assert.rejects(
      train({ ...given, config: settings(kind, server.url) }),
      /collective_rpc answered 500.*out of/,
    );
  }
});

test("a server that draws from other weights is refused before any rollout", async () => {
  await using system = await localSystem();
  await using server = await startEngineServer("vllm", second.folder, scratch);
  const runsDir = mkdtempSync(join(scratch, "other-"));
  const config: ConfigInput = {
    environment: { env_class: `${echoModule}#echo`, sandboxes: 1, sandbox_backend: "process" },
    trainer: { max_training_steps: 1, learner_ranks: 1, policy: { model: { path: first.folder } } },
    generator: { backend: "vllm", remote_inference_engine_urls: [server.url], max_logprob_gap: 1e-4 },
  };
  server.ignoreLoads();
  await assert.rejects(
    train({ system, name: "other", runsDir, config }),
    /draws with other log-probabilities than the learner's/,
  );
});
