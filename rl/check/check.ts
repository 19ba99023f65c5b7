import { totalmem } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModelConfig } from "../../native/types.js";
import { applySetting, type Loaded, loadConfig, pickJob } from "../../runtime/cli/config.js";
import { plan as planCluster } from "../../runtime/cli/plan.js";
import { ActorsError } from "../../runtime/index.js";
import { advantages } from "../algorithms/advantages.js";
import { reductions } from "../algorithms/reductions.js";
import { type ConfigSource, mergeConfig, type Problem, problemsOf, where } from "../config/load.js";
import { type Config, schema } from "../config/schema.js";
import { stepsOf, type TaskSupply } from "../data/supply.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { checkServers } from "../policy/remote/dialects.js";
import { jobs, recipes } from "../recipes/recipes.js";
import { loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";
import { sftRecipe } from "../sft/job.js";
import { speechOf } from "../tokenizers/speech.js";
import { checkWarmStart, findCheckpoint, findTeacher, openTasks } from "../trainer/inputs.js";
import { shapeOf } from "../trainer/shape.js";
import { estimateMemory, type MemoryEstimate, sumOf } from "./memory.js";
import { planSft, type SftPlan } from "./sft.js";
import { type EpisodeSize, episodeSize, estimateTime, measureRates, type TimeEstimate } from "./time.js";

export interface Checked {
  /** Path as it was given; null where there is none. */
  file: string | null;
  recipe: string;
  /** Nothing starts with one of them. */
  problems: Problem[];
  /** What works and may not be meant. */
  warnings: string[];
  /** null where problems hide it. */
  plan: Plan | null;
  /** Instead of it, of `recipe: sft`. */
  sft: SftPlan | null;
}

export interface Plan {
  config: Config;
  environment: Pick<EnvironmentDef, "name" | "maxTurns" | "maxActionTokens">;
  /** Whose tokens are spoken: the environment's own, or the checkpoint's. */
  tokens: "environment" | "checkpoint" | "checkpoint, in its chat template";
  shape: ModelConfig;
  data: readonly string[];
  heldOut: number;
  episode: EpisodeSize;
  memory: MemoryEstimate;
  /** null: it was not asked for, or the native module is not built. */
  time: TimeEstimate | null;
}

export interface CheckOptions {
  file?: string | undefined;
  /** `a.b=c`. */
  settings: readonly string[];
  cwd: string;
  /** Measure this machine for the time that it will take. */
  time: boolean;
}

/** Looks at everything that can be known before anything starts. @throws UsageError for a file or a setting that cannot be read */
export async function check({ file, settings, cwd, time }: CheckOptions): Promise<Checked> {
  const loaded = loadConfig(file, cwd);
  for (const setting of settings) applySetting(loaded.document, setting);
  const shown = loaded.file && (relative(cwd, loaded.file) || loaded.file);
  const source = { file: loaded.file, shown };
  const recipe = String(loaded.document["recipe"] ?? recipes[0]!.name);
  const problems: Problem[] = [];
  const checked: Checked = { file: shown, recipe, problems, warnings: [], plan: null, sft: null };
  const attempt = async <T>(key: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      problems.push(problemOf(key, error, source));
      return null;
    }
  };
  const known = [...recipes, sftRecipe].find(({ name }) => name === recipe);
  if (!known) {
    await attempt("recipe", () => checkJob(loaded, cwd));
    return checked;
  }
  const document = mergeConfig(known.settings, loaded.document);
  problems.push(...problemsOf(document, source));
  if (!problems.some(({ key }) => key.startsWith("cluster")))
    await attempt("cluster", () => clusterOf(file, settings, cwd));
  const parsed = schema.safeParse(document);
  if (!parsed.success) return checked;
  const baseDir = loaded.file ? dirname(loaded.file) : cwd;
  if (known === sftRecipe) {
    checked.sft = await attempt("data", () => planSft(parsed.data, baseDir, time));
    if (checked.sft?.heldOut === 0) checked.warnings.push(nothingHeldOut);
    return checked;
  }
  checked.plan = await planOf(parsed.data, baseDir, time, attempt);
  if (checked.plan) judge(checked.plan, checked);
  return checked;
}

/** The runtime reads its own part. */
const clusterOf = (file: string | undefined, settings: readonly string[], cwd: string) =>
  planCluster({ ...(file !== undefined && { file }), idle: true, set: [...settings] }, async () => jobs, cwd);

/** A recipe of its own checks itself. */
async function checkJob(loaded: Loaded, cwd: string): Promise<void> {
  const job = await pickJob(jobs, loaded, cwd);
  await job.check?.({
    config: loaded.document,
    configFile: loaded.file,
    seed: null,
    resume: null,
    runsDir: join(cwd, "runs"),
  });
}

type Attempt = <T>(key: string, work: () => Promise<T>) => Promise<T | null>;

/** Goes on past what is missing as long as it can, so that all of it is told at once. */
async function planOf(given: Config, baseDir: string, time: boolean, attempt: Attempt): Promise<Plan | null> {
  const { algorithm } = given.trainer;
  const baseUrl = pathToFileURL(`${resolve(baseDir)}/`).href;
  const { env_class } = given.environment;
  const checkpoint = await attempt("trainer.policy.model.path", async () => ({
    folder: await findCheckpoint(given, baseDir),
  }));
  const speech = speechOf(checkpoint?.folder ?? null, given);
  const def = await attempt("environment.env_class", () =>
    loadEnvironment({ ...parseEnvironmentRef(env_class, baseUrl), speech }),
  );
  if (def) await attempt("trainer.warm_start.steps", () => checkWarmStart(given, def));
  const { advantage_estimator, loss_reduction } = algorithm;
  await attempt("trainer.algorithm.advantage_estimator", () => advantages.load(advantage_estimator, baseUrl));
  await attempt("trainer.algorithm.loss_reduction", () => reductions.load(loss_reduction, baseUrl));
  if (!def) return null;
  const folder = checkpoint?.folder ?? null;
  const shape = await attempt("trainer.policy.model", () => shapeOf(given, def.tokenizer.vocabSize, folder));
  if (!shape) return null;
  await attempt("generator.remote_inference_engine_urls", () => checkServers(given));
  const teacher = await attempt("trainer.algorithm.distillation.teacher", async () => {
    const found = await findTeacher(given, def, folder, baseDir);
    return found === null ? null : shapeOf(given, def.tokenizer.vocabSize, found);
  });
  const tasks = await attempt("data", () => openTasks(given, def, folder, baseDir));
  if (!checkpoint) return null;
  const steps = tasks && (await attempt("trainer.epochs", async () => stepsOf(given, tasks)));
  const config = {
    ...given,
    trainer: { ...given.trainer, max_training_steps: steps ?? given.trainer.max_training_steps },
  };
  const episode = await episodeSize(config, def, shape);
  await attempt("trainer.policy.model", () => fits(config, def, shape, episode));
  const rates = time ? await measureRates(shape, def).catch(() => null) : null;
  const { name, maxTurns, maxActionTokens } = def;
  return {
    config,
    environment: { name, maxTurns, maxActionTokens },
    tokens: speech === null ? "environment" : def.dialogue ? "checkpoint, in its chat template" : "checkpoint",
    shape,
    data: tasks?.lines ?? [],
    heldOut: evaluated(config, tasks),
    episode,
    memory: estimateMemory(config, shape, teacher),
    time: rates && estimateTime(config, shape, episode, rates),
  };
}

const evaluated = ({ environment }: Config, tasks: TaskSupply | null) =>
  Math.min(tasks?.heldOut.length ?? 0, environment.eval_tasks ?? Number.POSITIVE_INFINITY);

/** @throws ActorsError when the model cannot say or hold what the environment needs */
async function fits({ generator, trainer }: Config, def: EnvironmentDef, shape: ModelConfig, episode: EpisodeSize) {
  if (shape.vocabSize < def.tokenizer.vocabSize) {
    throw wrong(
      `${trainer.policy.model.path} has a vocabulary of ${shape.vocabSize}, and environment ${def.name} needs ${def.tokenizer.vocabSize}`,
    );
  }
  const action = generator.max_generate_length ?? def.maxActionTokens;
  const holds = `and the model holds ${shape.maxSeqLen}`;
  if (episode.prompt + action > shape.maxSeqLen) {
    throw wrong(
      `no action fits: a prompt of ${def.name} takes ${episode.prompt} tokens, an action ${action}, ${holds}`,
    );
  }
  if (episode.shortest > shape.maxSeqLen) {
    throw wrong(
      `no episode of ${def.name} by its own expert fits: they take ${episode.shortest} tokens and more, ${holds}`,
    );
  }
}

const wrong = (message: string) => new ActorsError("INVALID_ARGUMENT", message);

function problemOf(key: string, error: unknown, source: ConfigSource): Problem {
  const { rawMessage, hint } = ActorsError.from(error, "INVALID_ARGUMENT");
  const [, named = key] = /^((?:data|trainer|generator|environment|cluster)[.\w]*)/.exec(rawMessage) ?? [];
  const told = rawMessage.startsWith(named) ? rawMessage : `${key}: ${rawMessage}`;
  const stop = /[.?!]$/.test(told) ? "" : ".";
  return {
    key: named,
    at: where(named.split("."), source),
    message: hint === undefined ? told : `${told}${stop} ${hint}`,
  };
}

/** Whether the log-probabilities of draws are others than the model's own. */
function drawsOtherwise({ sampling_params: p, temperature_schedule: { end } }: Config["generator"]): boolean {
  const penalties = [p.repetition_penalty - 1, p.presence_penalty, p.frequency_penalty, p.min_p];
  const cut = p.top_p < 1 || p.top_k > 0 || penalties.some((penalty) => penalty !== 0);
  return cut || p.temperature !== 1 || (end !== null && end !== 1);
}

const nothingHeldOut = "nothing is held out, so nothing is evaluated: name rows in data.val_data";

function judge(plan: Plan, { problems, warnings }: Checked): void {
  if (plan.heldOut === 0) warnings.push(nothingHeldOut);
  const { memory, episode, shape, environment, config } = plan;
  const machine = totalmem();
  const largest = Math.max(sumOf(memory.learner), sumOf(memory.engine));
  const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  if (largest > machine) {
    const key = sumOf(memory.learner) >= sumOf(memory.engine) ? "trainer.policy.model" : "generator.max_num_seqs";
    problems.push({
      key,
      at: null,
      message: `${key}: one process may take ${gb(largest)}, and this machine has ${gb(machine)}`,
    });
  } else if (memory.total > machine) {
    warnings.push(
      `all processes may take ${gb(memory.total)}, and this machine has ${gb(machine)}: it needs more machines`,
    );
  }
  if (episode.from === "demonstrations" && episode.longest > shape.maxSeqLen) {
    warnings.push(
      `episodes of ${environment.name} take up to ${episode.longest} tokens, and the model holds ${shape.maxSeqLen}: long ones are cut off`,
    );
  }
  const { trainer, generator } = config;
  const alone = ["reinforce++", "gae", "none"];
  if (generator.n_samples_per_prompt === 1 && !alone.includes(trainer.algorithm.advantage_estimator)) {
    warnings.push(
      "generator.n_samples_per_prompt is 1: advantages compare the samples of a prompt, so nothing is learned",
    );
  }
  if (trainer.algorithm.old_logprobs !== "learner" && drawsOtherwise(generator)) {
    warnings.push(
      "generator.sampling_params or temperature_schedule draw otherwise than the learner reckons: set trainer.algorithm.old_logprobs to learner, or every ratio has that in it",
    );
  }
  if (trainer.epochs !== null && trainer.max_training_steps === 0) warnings.push("there are no steps to train");
}
