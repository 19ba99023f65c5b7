import type { LoraOptions, ModelConfig } from "../../native/index.js";
import type { ActorSystem, Handle } from "../../runtime/index.js";
import { type Config, projections } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { type LearnerActor, type LearnerOptions, learnerActor } from "../learner/actor.js";
import { type Policy, type PolicyOptions, policyActor } from "../policy/actor.js";
import { type RemotePolicyActor, type RemotePolicyOptions, remotePolicyActor } from "../policy/remote/actor.js";
import { isRemote } from "../policy/remote/dialects.js";
import { type RolloutActor, type RolloutOptions, rolloutActor } from "../rollout/actor.js";
import type { EnvironmentRef } from "../rollout/environment-ref.js";
import type { EpisodeLimits } from "../rollout/episode.js";
import type { StageOptions } from "../rollout/stages.js";
import { type SandboxActor, sandboxActor } from "../sandbox/actor.js";

/** The actors of a run. They belong to the system that spawned them. */
export interface Topology {
  learners: Handle<LearnerActor>[];
  policies: Handle<Policy>[];
  rollouts: Handle<RolloutActor>[];
  sandboxes: Handle<SandboxActor>[];
}

export interface TopologySpec {
  run: string;
  /** Start of the names of the run's files in shared memory. */
  prefix: string;
  config: Config;
  environment: EnvironmentRef;
  def: EnvironmentDef;
  /** A shape for a fresh model, or the folder of a checkpoint. */
  model: ModelConfig | string;
}

const collectiveTimeoutMs = 60_000;
const callTimeoutMs = 60_000;
/** Of a server of another maker, which reads a checkpoint. */
export const reloadMs = 300_000;
/** A run outlives many deaths, but not an actor that dies as soon as it starts. */
const restart = { policy: "on-failure", max: 20, withinMs: 60_000, backoffMs: 50 } as const;

function loraOf(config: Config["trainer"]["policy"]["model"]["lora"]): LoraOptions | null {
  const { rank, alpha, target_modules: targets } = config;
  return rank === 0 ? null : { rank, alpha, targets: targets === "all-linear" ? [...projections] : targets };
}

/** The learner first: it tells the shape of the model to those that serve it. */
export async function spawnLearners(
  system: ActorSystem,
  spec: Pick<TopologySpec, "config" | "model" | "prefix">,
): Promise<Handle<LearnerActor>[]> {
  const lora = loraOf(spec.config.trainer.policy.model.lora);
  return spawnRanks(system, spec, { lora, prefix: spec.prefix });
}

/** As many ranks as the policy's learner has, of a critic with the trunk of `spec.model`. */
export async function spawnCritics(system: ActorSystem, spec: TopologySpec): Promise<Handle<LearnerActor>[]> {
  return spawnRanks(system, spec, { valueHead: true, prefix: `${spec.prefix}critic-` });
}

async function spawnRanks(
  system: ActorSystem,
  spec: Pick<TopologySpec, "config" | "model">,
  of: Pick<LearnerOptions, "prefix" | "lora" | "valueHead">,
): Promise<Handle<LearnerActor>[]> {
  const { learner_ranks: world } = spec.config.trainer;
  const common = { ...learnerSettings(spec), ...of, world };
  const args = (rank: number): [LearnerOptions] => [{ ...common, rank }];
  return [...(await system.spawnGroup(learnerActor, world, { args, restart }))];
}

function learnerSettings({ model, config }: Pick<TopologySpec, "config" | "model">) {
  const { learner_threads: threads, gradient_checkpointing: gradientCheckpointing, seed } = config.trainer;
  return { model, seed, threads, gradientCheckpointing, collectiveTimeoutMs };
}

/** A learner that never learns, with the weights of a checkpoint. */
export async function spawnFrozen(
  system: ActorSystem,
  spec: TopologySpec,
  name: "reference" | "teacher",
): Promise<Handle<LearnerActor>> {
  const options = { ...learnerSettings(spec), rank: 0, world: 1, prefix: `${spec.prefix}${name}-` };
  return system.spawn(learnerActor, { args: [options], restart });
}

export async function spawnGenerators(
  system: ActorSystem,
  spec: TopologySpec,
  model: ModelConfig,
  onSpawned: (actor: object) => void,
): Promise<Omit<Topology, "learners">> {
  const { generator, environment } = spec.config;
  const own = <T extends object>(actors: readonly T[]): T[] => {
    for (const actor of actors) onSpawned(actor);
    return [...actors];
  };
  const [{ policies, maxSeqLen }, sandboxes] = await Promise.all([
    spawnPolicies(system, spec, model, own),
    spawnSandboxes(system, environment).then(own),
  ]);
  const count = generator.num_rollout_actors;
  const spawned = await system.spawnGroup(rolloutActor, count, {
    args: (): [RolloutOptions] => [
      {
        run: spec.run,
        environment: spec.environment,
        policies,
        sandboxes,
        limits: limitsOf(spec.config, spec.def, maxSeqLen),
        stages: stagesOf(spec.config),
        maxAttempts: generator.max_attempts,
        callTimeoutMs,
        progressMs: generator.progress_interval_seconds * 1000,
      },
    ],
    restart,
  });
  return { policies, rollouts: own(spawned), sandboxes };
}

/** Those who sample, and the tokens that all of them hold of a sequence. */
async function spawnPolicies(
  system: ActorSystem,
  spec: TopologySpec,
  model: ModelConfig,
  own: <T extends object>(actors: readonly T[]) => T[],
): Promise<{ policies: Handle<Policy>[]; maxSeqLen: number }> {
  const { generator } = spec.config;
  const { backend, remote_inference_engine_urls: urls } = generator;
  if (!isRemote(backend)) {
    const options: PolicyOptions = {
      ...{ model, maxSequences: generator.max_num_seqs, threads: generator.inference_engine_threads },
      ...{ prefix: spec.prefix, environment: spec.environment, kv: generator.kv_on_weight_update },
    };
    const args = (): [PolicyOptions] => [options];
    const policies = own(await system.spawnGroup(policyActor, generator.num_inference_engines, { args, restart }));
    return { policies, maxSeqLen: model.maxSeqLen };
  }
  const servers: Handle<RemotePolicyActor>[] = own(
    await system.spawnGroup(remotePolicyActor, urls.length, {
      args: (i): [RemotePolicyOptions] => [
        { backend, url: urls[i]!, prefix: spec.prefix, timeoutMs: callTimeoutMs, loadMs: reloadMs },
      ],
      restart,
    }),
  );
  const held = await Promise.all(servers.map((server) => server.maxSeqLen()));
  return { policies: servers, maxSeqLen: Math.min(model.maxSeqLen, ...held.map((tokens) => tokens ?? Infinity)) };
}

async function spawnSandboxes(system: ActorSystem, config: Config["environment"]): Promise<Handle<SandboxActor>[]> {
  const { sandboxes: size, sandbox_backend: backend, sandbox_image: image, sandbox_pull: pull } = config;
  const { url, api_key_file: apiKeyFile } = config.sandbox_server;
  const options = {
    ...{ size, backend, pull, image: image === null ? null : { name: image } },
    server: url === null || apiKeyFile === null ? null : { url, apiKeyFile },
  };
  return [await system.spawn(sandboxActor, { args: [options], restart })];
}

/** Of one rollout actor. */
function stagesOf({ generator, trainer }: Config): StageOptions {
  const { num_rollout_actors: actors, num_parallel_generation_workers: workers } = generator;
  const share = (episodes: number | null) => Math.ceil((episodes ?? workers) / actors);
  const { init, run, reward } = generator.stage_timeout_seconds;
  const queueMs = trainer.step_timeout_seconds * 1000;
  return {
    places: {
      init: share(generator.max_parallel_inits),
      run: share(workers),
      reward: share(generator.max_parallel_evals),
    },
    timeoutMs: { init: init * 1000, run: run === null ? queueMs : run * 1000, reward: reward * 1000 },
    queueMs,
  };
}

function limitsOf({ generator }: Config, def: EnvironmentDef, maxSeqLen: number): EpisodeLimits {
  return {
    maxTurns: Math.min(generator.max_turns ?? def.maxTurns, def.maxTurns),
    maxActionTokens: generator.max_generate_length ?? def.maxActionTokens,
    maxSeqLen,
    context: generator.context,
  };
}
