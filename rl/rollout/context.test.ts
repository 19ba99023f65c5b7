import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import type { actors } from "#protos";
import { Learner, type ModelConfig } from "../../native/index.js";
import { loopTurn } from "../../runtime/core/wait.js";
import { resolveConfig } from "../config/load.js";
import { byteTokenizer } from "../environments/bytes.js";
import type { EnvContext, EnvironmentDef, Sandbox } from "../environments/environment.js";
import { pack, sampleOf } from "../learner/batch.js";
import { PolicyActor } from "../policy/actor.js";
import { decodeTrajectory, encodeTrajectory, sampledTokens } from "../trajectories/trajectory.js";
import { type ContextRules, cutMiddle } from "./context.js";
import { type Episode, playEpisode } from "./episode.js";
import { Pipeline } from "./stages.js";

const folder = mkdtempSync("/dev/shm/context-test-");
after(() => rmSync(folder, { recursive: true }));
const model: ModelConfig = {
  ...{ vocabSize: byteTokenizer.vocabSize, dim: 8, layers: 1, heads: 1, kvHeads: 1, headDim: 8, ffnDim: 16 },
  ...{ ropeTheta: 10_000, normEps: 1e-6, tiedEmbeddings: true, maxSeqLen: 512 },
};
const learner = Learner.create(model, 1);
const published = await learner.publish(join(folder, "weights"));
const policy = new PolicyActor({ model, maxSequences: 8, threads: 1, prefix: join(folder, "none-") });
await policy.onStart();
await policy.load({ version: 3, path: join(folder, "weights"), ...published });
after(async () => {
  await policy.onStop();
  learner.close();
});

/** Answers with a text of a length that follows from the turn. */
const talker = (lengths: readonly number[], grade?: number): EnvironmentDef => {
  const def: Partial<EnvironmentDef> = {
    ...{ name: "talker", tokenizer: byteTokenizer, maxTurns: lengths.length, maxActionTokens: 8 },
    create: () => {
      let turn = 0;
      return {
        reset: async () => "begin:",
        step: async () => {
          const observation = String(turn).repeat(lengths[turn++]!);
          const ended = turn === lengths.length;
          return { observation, reward: 1, terminated: ended, truncated: false, info: {} };
        },
        ...(grade !== undefined && { evaluate: async () => ({ reward: grade, info: {} }) }),
        close: async () => {},
      };
    },
  };
  return def as EnvironmentDef;
};

interface Drawn {
  read: Int32Array;
  said: Int32Array;
}

/** Plays with the real engine, and notes what went in and what came out. */
async function play(
  lengths: readonly number[],
  rules: Partial<ContextRules>,
  from: Episode | null = null,
  { maxTurns = lengths.length, grade }: { maxTurns?: number; grade?: number } = {},
) {
  const drawn: Drawn[] = [];
  const context = resolveConfig({ generator: { context: { max_tokens: 96, summary_tokens: 8, ...rules } } }).generator
    .context;
  const environment = talker(lengths, grade);
  const limits = { maxTurns, maxActionTokens: 8, maxSeqLen: 512, context };
  const sampling = { temperature: 1, topP: 1, topK: 0 };
  const generate = async (request: actors.v1.GenerateRequest.$Properties) => {
    const reply = await policy.generate(request);
    drawn.push({ read: ints(request.tokens), said: ints(reply.tokens) });
    return reply;
  };
  const progress: Episode[] = [];
  const spec = {
    environment,
    task: null,
    seed: 5,
    sampling,
    limits,
    session: "s",
    from,
    onTurn: (e: Episode) => progress.push(e),
  };
  using passage = pipeline.passage(new AbortController().signal);
  const episode = await playEpisode(spec, generate, null as unknown as Sandbox, passage);
  return { episode, drawn, progress };
}

const pipeline = new Pipeline({
  places: { init: 1, run: 1, reward: 1 },
  timeoutMs: { init: 10_000, run: 10_000, reward: 10_000 },
  queueMs: 10_000,
});
const ints = (bytes: Uint8Array | null | undefined) => new Int32Array(new Uint8Array(bytes ?? []).buffer);

const ended = /^(submitted|length)$/;

/** Each context of an episode, as a sequence of its own. */
function sequencesOf({ tokens_T, lossMask_T, contexts }: Episode) {
  const starts = [0, ...contexts];
  return starts.map((start, i) => ({
    start,
    tokens: tokens_T.slice(start, starts[i + 1]),
    mask: lossMask_T.slice(start, starts[i + 1]),
  }));
}

test("under every policy each token that the engine drew is learned once, after just what the engine had read before it", async () => {
  const policies = ["none", "truncate_observations", "sliding_window", "summarise"] as const;
  const lengths = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 8 });
  const most = fc.option(fc.integer({ min: 12, max: 40 }), { nil: null });
  await fc.assert(
    fc.asyncProperty(lengths, fc.constantFrom(...policies), most, async (lens, name, max_observation_tokens) => {
      const rules = { policy: name, max_observation_tokens, ...(name === "summarise" && { max_tokens: 320 }) };
      const { episode, drawn, progress } = await play(lens, rules);
      const budget = name === "summarise" ? 320 : 96;
      const sequences = sequencesOf(episode);
      const learned = sequences.flatMap(({ tokens, mask, start }) => {
        assert.ok(tokens.length <= budget);
        return [...tokens.keys()]
          .filter((t) => mask[t])
          .map((t) => ({ at: start + t, before: tokens.slice(0, t), token: tokens[t] }));
      });
      const said = drawn.flatMap(({ read, said }) =>
        [...said.keys()].map((t) => ({ before: [...read, ...said.slice(0, t)], token: said[t] })),
      );
      assert.equal(learned.length, said.length);
      for (const [i, { before, token }] of said.entries()) {
        assert.equal(learned[i]!.token, token);
        assert.deepEqual([...learned[i]!.before], before);
      }
      // From the engine to the loss: over the wire, and packed for the learner.
      const rest = { key: "", step: 0, group: 0, sample: 0, attempt: 0, seed: 0, task: "", startedAt: 0, seconds: 0 };
      const stages = { queued: 0, init: 0, run: 0, generate: 0, reward: 0 };
      const arrived = decodeTrajectory(encodeTrajectory({ ...episode, ...rest, stages }));
      assert.deepEqual(arrived.contexts, episode.contexts);
      const batch = pack([sampleOf(arrived, new Float32Array(arrived.tokens_T.length).fill(1))]);
      assert.deepEqual([...batch.starts_B1], [0, ...episode.contexts, episode.tokens_T.length]);
      assert.equal(batch.weights_B.length, sequences.length);
      assert.equal(sampledTokens([arrived]), said.length);
      assert.equal(
        batch.advantages_N.reduce((sum, a) => sum + a, 0),
        said.length,
      );
      // A summary is no turn of the environment; the episode says why it ended.
      const turns = episode.turns.filter(({ summary }) => !summary);
      assert.ok(turns.length === lens.length ? ended.test(episode.finish) : episode.finish === "context");
      if (name === "none") assert.deepEqual(episode.contexts, []);
      // Continued from anywhere it comes out the same.
      const half = progress[Math.floor(progress.length / 2)];
      if (half) assert.deepEqual((await play(lens, rules, half)).episode, episode);
    }),
    { numRuns: 60 },
  );
});

test("the learner finds the same log-probabilities in the contexts as the engine had", async () => {
  for (const rules of [{ policy: "sliding_window" }, { policy: "summarise", max_tokens: 320 }] as const) {
    const { episode } = await play([40, 50, 60, 40, 60, 50, 60, 10], rules);
    assert.ok(episode.contexts.length > 0, rules.policy);
    const { tokens_N, starts_B1 } = pack([sampleOf({ ...episode } as never, episode.logprobs_T)]);
    const { logp } = await learner.logprobs({ tokens: tokens_N, starts: starts_B1 });
    for (const [t, sampled] of episode.lossMask_T.entries())
      if (sampled) assert.ok(Math.abs(logp[t]! - episode.logprobs_T[t]!) < 1e-4);
  }
});

test("no summary is asked for after the last turn that the budget has", async () => {
  const rules = { policy: "summarise", max_tokens: 320 } as const;
  const { episode } = await play([200, 200, 200], rules, null, { maxTurns: 2 });
  assert.deepEqual(
    episode.turns.map(({ summary }) => summary),
    [false, true, false],
  );
  assert.equal(episode.finish, "turns");
});

test("a grade is added to the episode, not to what was told of its turns before", async () => {
  const { episode, progress } = await play([1, 1, 1], {}, null, { maxTurns: 2, grade: 5 });
  assert.deepEqual([episode.reward, episode.turns.at(-1)!.reward], [7, 6]);
  assert.deepEqual(
    progress.at(-1)!.turns.map(({ reward }) => reward),
    [1, 1],
  );
});

test("an episode whose time is over takes no further turn", async () => {
  let steps = 0;
  const environment = {
    ...talker([1, 1, 1]),
    create: () => ({
      reset: async () => "begin:",
      step: async (_: string, { signal }: EnvContext) => {
        steps++;
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return { observation: "", reward: 1, terminated: false, truncated: false, info: {} };
      },
      close: async () => {},
    }),
  };
  const told: Episode[] = [];
  const limited = new Pipeline({ places: { init: 1, run: 1, reward: 1 }, timeoutMs: { ...hurried }, queueMs: 10_000 });
  using passage = limited.passage(new AbortController().signal);
  const spec = {
    ...{
      environment,
      task: null,
      seed: 5,
      sampling: { temperature: 1, topP: 1, topK: 0 },
      session: "late",
      from: null,
    },
    limits: { maxTurns: 3, maxActionTokens: 8, maxSeqLen: 512, context: resolveConfig({}).generator.context },
    onTurn: (episode: Episode) => told.push(episode),
  };
  const generate = policy.generate.bind(policy);
  const played = playEpisode(spec, generate, null as unknown as Sandbox, passage);
  await assert.rejects(played, /the run stage of an episode .* took longer than 300 ms/);
  for (let i = 0; i < 20; i++) await loopTurn();
  assert.deepEqual([steps, told.length], [1, 0]);
});

const hurried = { init: 10_000, run: 300, reward: 10_000 };

test("what is left out is what each policy says", async () => {
  const lens = [20, 20, 20, 20, 20, 20];
  const none = await play(lens, { policy: "none" });
  assert.equal(none.episode.finish, "context");
  const texts = async (rules: Partial<ContextRules>, lens_ = lens) => {
    const { episode, drawn } = await play(lens_, rules);
    assert.match(episode.finish, ended);
    return byteTokenizer.decode(drawn.at(-1)!.read);
  };
  const window = await texts({ policy: "sliding_window" });
  assert.ok(window.startsWith("begin:") && !window.includes("0000") && window.includes("4".repeat(20)), window);
  const cut = { policy: "truncate_observations", max_tokens: 200, keep: 0.9 } as const;
  const short = await texts(cut, [40, 40, 40, 40, 40, 40]);
  assert.ok(/^begin:.*\[40 tokens left out\].*4{40}/s.test(short) && !short.includes("0000"), short);
  const summed = await play([60, 60, 60, 60], { policy: "summarise", max_tokens: 320 });
  const summary = summed.episode.turns.find((turn) => turn.summary)!;
  const read = byteTokenizer.decode(summed.drawn.at(-1)!.read);
  assert.ok(read.startsWith(`begin:\n\nWhat you wrote down of the conversation so far:\n${summary.action}`), read);
  assert.equal(
    cutMiddle("a".repeat(30) + "b".repeat(30), 30, byteTokenizer),
    `${"a".repeat(4)}\n[52 tokens left out]\n${"b".repeat(4)}`,
  );
});
