import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ActorsError, type Handle } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";
import { pack } from "../learner/batch.js";
import type { Policy } from "../policy/actor.js";
import { isRemote } from "../policy/remote/dialects.js";
import { pointToWeights, type WeightsRef } from "../policy/weights.js";
import type { LearnerGroup } from "./learners.js";
import { reloadMs } from "./topology.js";

export interface ServingOptions {
  config: Config;
  learners: LearnerGroup;
  policies: readonly Handle<Policy>[];
  vocabSize: number;
  /** Start of the names of the run's files in shared memory. */
  prefix: string;
  /** Where servers of another maker get their weights from: they must see it too. */
  folder: string;
  signal: AbortSignal;
}

const loadMs = 60_000;
const saveMs = 120_000;
const drawMs = 60_000;
/** Tokens that are drawn after a change of weights, to compare. */
const canary = { prompt: 8, sampled: 16 };

/** Has every policy sample with the learner's present weights; a restarted one finds them by itself. */
export async function serveWeights(options: ServingOptions, weights: WeightsRef): Promise<void> {
  const { policies, prefix, signal, config } = options;
  const remote = isRemote(config.generator.backend);
  const served = remote ? await writeFolder(options, weights) : weights;
  await pointToWeights(prefix, served);
  const timeoutMs = remote ? reloadMs : loadMs;
  await Promise.all(policies.map((policy) => policy.load.with({ timeoutMs, signal })(served)));
  if (!remote) return;
  await removeOthers(options.folder, served.version);
  await Promise.all(policies.map((_, i) => compare(options, i)));
}

const nameOf = (version: number) => `version-${version}`;

/** A Hugging Face folder, which any server can read. */
async function writeFolder({ learners, folder }: ServingOptions, weights: WeightsRef): Promise<WeightsRef> {
  const path = join(folder, nameOf(weights.version));
  await learners.save(path, saveMs);
  return { ...weights, path };
}

async function removeOthers(folder: string, version: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== nameOf(version)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * The gate behind which rollouts begin: what a server draws must be as likely to the learner as the server says.
 * @throws ActorsError UNAVAILABLE naming the server that draws from other weights, or in another way
 */
async function compare({ policies, learners, vocabSize, config, signal }: ServingOptions, i: number): Promise<void> {
  const { remote_inference_engine_urls: urls, max_logprob_gap: allowed } = config.generator;
  const prompt = Int32Array.from({ length: canary.prompt }, (_, t) => (t * 7919) % vocabSize);
  const reply = await policies[i]!.generate.with({ timeoutMs: drawMs, signal })({
    ...{ tokens: new Uint8Array(prompt.buffer), maxTokens: canary.sampled, temperature: 1, topP: 1, seed: 1 },
  });
  const sampled = new Int32Array(new Uint8Array(reply.tokens ?? []).buffer);
  const told = new Float32Array(new Uint8Array(reply.logprobs ?? []).buffer);
  const tokens_T = Int32Array.from([...prompt, ...sampled]);
  const none_T = new Float32Array(tokens_T.length);
  const sample = { tokens_T, lossMask_T: new Uint8Array(none_T.length), rolloutLogp_T: none_T, advantages_T: none_T };
  const logp_T = await learners.logprobs(pack([sample]), tokens_T.length);
  const gap = told.reduce((sum, p, t) => sum + Math.abs(p - logp_T[prompt.length + t]!), 0) / Math.max(1, told.length);
  if (gap <= allowed) return;
  const what = `${urls[i]} draws with other log-probabilities than the learner's: they are ${gap.toFixed(3)} apart, and ${allowed} is allowed`;
  throw new ActorsError("UNAVAILABLE", what, {
    hint: "See that it loads what the run writes, and reports log-probabilities as it draws; or raise generator.max_logprob_gap.",
    retryable: false,
  });
}
