import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Engine, Learner, type ModelConfig } from "../../native/index.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef, Script } from "../environments/environment.js";
import { play } from "../environments/play.js";
import { seededRandom } from "../environments/random.js";
import { withSandbox } from "../gym/gym.js";
import { dialogueOf } from "../tokenizers/dialogue.js";
import { activeParametersOf, parametersOf } from "./memory.js";

/** Tokens of an episode, on average. */
export interface EpisodeSize {
  /** Prompt, actions and observations. */
  tokens: number;
  sampled: number;
  /** Of the prompt, the longest seen. */
  prompt: number;
  shortest: number;
  longest: number;
  /** `demonstrations`: as the environment's own; `bounds`: as long as the settings allow, for want of any. */
  from: "demonstrations" | "bounds";
}

const looked = 4;

/** From the environment's demonstrations, or from the bounds of the settings where it has none. */
export async function episodeSize(config: Config, def: EnvironmentDef, shape: ModelConfig): Promise<EpisodeSize> {
  const { generator, data } = config;
  const turns = Math.min(generator.max_turns ?? def.maxTurns, def.maxTurns);
  const action = generator.max_generate_length ?? def.maxActionTokens;
  if (data.train_data.length === 0) {
    try {
      return summed(await Promise.all(Array.from({ length: looked }, (_, i) => demonstrated(def, i))));
    } catch {
      // it has no expert
    }
  }
  const all = shape.maxSeqLen;
  return { tokens: all, sampled: Math.min(turns * action, all), prompt: 0, shortest: 0, longest: all, from: "bounds" };
}

interface Demonstrated {
  tokens: number;
  sampled: number;
  prompt: number;
}

async function demonstrated(def: EnvironmentDef, index: number): Promise<Demonstrated> {
  const { turns, ...opening } = await def.demonstration(def.trainTask(0, index), seededRandom(index));
  const dialogue = dialogueOf(def);
  const prompt = dialogue.open(opening).length;
  const sampled = turns.reduce((sum, { action }) => sum + def.tokenizer.encode(action).length + 1, 0);
  const told = turns
    .slice(0, -1)
    .reduce((sum, { observation }) => sum + dialogue.answer(observation, true).length, prompt);
  return { tokens: told + sampled, sampled, prompt };
}

function summed(all: readonly Demonstrated[]): EpisodeSize {
  const mean = (key: keyof Demonstrated) => all.reduce((sum, each) => sum + each[key], 0) / all.length;
  const most = (key: keyof Demonstrated) => Math.max(...all.map((each) => each[key]));
  const shortest = Math.min(...all.map(({ tokens }) => tokens));
  const size = { tokens: mean("tokens"), sampled: mean("sampled"), prompt: most("prompt") };
  return { ...size, shortest, longest: most("tokens"), from: "demonstrations" };
}

/** Measured on this machine. */
export interface Rates {
  /** Floating-point operations a second of one thread. */
  training: number;
  decoding: number;
  /** Seconds of an episode in the environment, played by its expert; null: it has none, or it did not come to an end. */
  environment: number | null;
}

export interface TimeEstimate {
  /** Seconds a step: of the engines, the environments (0 where that is not known), the learner; and of a step, as they run beside or after each other. */
  generation: number;
  environment: number;
  update: number;
  step: number;
  total: number;
}

/**
 * Floating-point operations a token forward, in a sequence of so many: two a parameter that it goes through, and attention's, which
 * grow with the length. Twice as many again backward (Kaplan et al. 2020, 2001.08361).
 */
const forwardOf = (shape: ModelConfig, length: number) =>
  2 * activeParametersOf(shape) + 2 * shape.layers * shape.heads * shape.headDim * length;

/** Seconds of an update on `tokens` in sequences of `length`, forward and backward. */
export function updateSeconds(
  { trainer }: Config,
  shape: ModelConfig,
  tokens: number,
  length: number,
  rates: Rates,
): number {
  const learners = Math.min(availableParallelism(), trainer.learner_ranks * trainer.learner_threads);
  const passes = 3 + Number(trainer.gradient_checkpointing);
  return (tokens * passes * forwardOf(shape, length)) / (rates.training * learners);
}

/** Seconds at least, for messages and evaluations come on top. */
export function estimateTime(config: Config, shape: ModelConfig, size: EpisodeSize, rates: Rates): TimeEstimate {
  const { trainer, generator } = config;
  const episodes = trainer.train_batch_size * generator.n_samples_per_prompt;
  const forward = forwardOf(shape, size.tokens);
  const cores = availableParallelism();
  const threads = (count: number, each: number) => Math.min(cores, count * each);
  const decoders = threads(generator.num_inference_engines, generator.inference_engine_threads);
  const learners = threads(trainer.learner_ranks, trainer.learner_threads);
  const read = size.tokens - size.sampled; // many at once
  const generation = (episodes * forward * (size.sampled / rates.decoding + read / rates.training)) / decoders;
  const again = Number(trainer.gradient_checkpointing);
  const passes = (3 + again) * trainer.update_epochs_per_batch + Number(trainer.algorithm.old_logprobs === "learner");
  const update = (episodes * size.tokens * passes * forward) / (rates.training * learners);
  const environment = (episodes * (rates.environment ?? 0)) / cores;
  const busy = environment + (generation * decoders + update * learners) / cores; // if the cores share the work well
  const beside = trainer.mode === "async" && trainer.max_staleness_steps > 0;
  const step = beside ? Math.max(generation, update, busy) : generation + environment + update;
  return { generation, environment, update, step, total: step * trainer.max_training_steps };
}

const proxyParameters = 4e6;
const decoded = { sequences: 16, tokens: 32 };

/** A model of the same width with no more layers and vocabulary than are needed to tell, so that this takes a second or two. */
export async function measureRates(shape: ModelConfig, def: EnvironmentDef): Promise<Rates> {
  const proxy = { ...shape, vocabSize: Math.min(shape.vocabSize, 4096), ropeTheta: 10_000 };
  const { experts: _, ...dense } = proxy;
  const model: ModelConfig = { ...dense, dim: Math.min(shape.dim, 1024), ffnDim: Math.min(shape.ffnDim, 4096) };
  model.maxSeqLen = Math.max(64, Math.min(shape.maxSeqLen, 512));
  while (model.layers > 1 && parametersOf(model) > proxyParameters) model.layers--;
  const folder = await mkdtemp(join(tmpdir(), "actors-check-"));
  const learner = Learner.create(model, 1, { threads: 1 });
  try {
    const training = await trainingRate(learner, model);
    const path = join(folder, "weights");
    await learner.publish(path);
    return { training, decoding: await decodingRate(model, path), environment: await environmentSeconds(def) };
  } finally {
    learner.close();
    await rm(folder, { recursive: true });
  }
}

const playedMs = 500;

/** The expert's own thinking does not count: its actions are played a second time. Nor does the first episode, which starts a sandbox. */
async function environmentSeconds(def: EnvironmentDef): Promise<number | null> {
  const { expert } = def;
  if (!expert) return null;
  try {
    return await withSandbox(async (context) => {
      const task = (index: number) => def.trainTask(0, index);
      let [count, seconds] = [-1, 0];
      for (const end = performance.now() + playedMs; performance.now() < end || count < 1; count++) {
        const { turns } = await play(def, task(count + 1), expert, seededRandom(count), context);
        const started = performance.now();
        await play(def, task(count + 1), again(turns), seededRandom(count), context);
        if (count >= 0) seconds += (performance.now() - started) / 1000;
      }
      return seconds / count;
    });
  } catch {
    return null;
  }
}

const again = (turns: readonly { action: string }[]): Script =>
  function* () {
    for (const { action } of turns) yield action;
  };

async function trainingRate(learner: Learner, model: ModelConfig): Promise<number> {
  const length = Math.min(model.maxSeqLen, 256);
  const count = Math.max(1, Math.floor(512 / length));
  const total = length * count;
  const batch = {
    tokens: Int32Array.from({ length: total }, (_, i) => (i * 7919) % model.vocabSize),
    starts: Int32Array.from({ length: count + 1 }, (_, i) => i * length),
    lossMask: new Uint8Array(total).fill(1),
    advantages: new Float32Array(total).fill(1),
    oldLogp: new Float32Array(total),
  };
  for (let i = 0; i < count; i++) batch.lossMask[i * length] = 0;
  const loss = { kind: "cross_entropy", normalizer: total } as const;
  await learner.forwardBackward(batch, loss); // touches the memory
  const started = performance.now();
  let passes = 0;
  while (performance.now() - started < 300) {
    await learner.forwardBackward(batch, loss);
    passes++;
  }
  const flops = 6 * parametersOf(model) + 6 * model.layers * model.heads * model.headDim * length;
  return (passes * total * flops) / ((performance.now() - started) / 1000);
}

async function decodingRate(model: ModelConfig, weights: string): Promise<number> {
  const engine = Engine.open(model, { maxSequences: decoded.sequences, threads: 1 });
  try {
    await engine.loadWeights(weights, 1);
    const round = async (seed: number) => {
      for (let i = 0; i < decoded.sequences; i++) {
        const tokens = Int32Array.from({ length: 8 }, (_, t) => (t + i) % model.vocabSize);
        engine.submit({ tokens, maxTokens: decoded.tokens, temperature: 1, stop: [], seed: seed + i });
      }
      let sampled = 0;
      while (engine.active > 0) for (const { tokens } of await engine.run(64)) sampled += tokens.length;
      return sampled;
    };
    await round(0);
    const started = performance.now();
    let tokens = 0;
    while (performance.now() - started < 300) tokens += await round(1000);
    const flops = 2 * parametersOf(model) + 2 * model.layers * model.heads * model.headDim * decoded.tokens;
    return (tokens * flops) / ((performance.now() - started) / 1000);
  } finally {
    engine.close();
  }
}
