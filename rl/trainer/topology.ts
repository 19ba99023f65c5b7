import type { LoraOptions, ModelConfig } from "../../native/index.js";
import type { ActorSystem, Handle } from "../../runtime/index.js";
import { type Config, projections } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { type LearnerActor, type LearnerOptions, learnerActor } from "../learner/actor.js";
import { type PolicyActor, type PolicyOptions, policyActor } from "../policy/actor.js";
import { type RolloutActor, type RolloutOptions, rolloutActor } from "../rollout/actor.js";
import type { EnvironmentRef } from "../rollout/environment-ref.js";
import type { EpisodeLimits } from "../rollout/episode.js";
import { type SandboxActor, sandboxActor } from "../sandbox/actor.js";

/** The actors of a run. They belong to the system that spawned them. */
export interface Topology {
  learners: Handle<LearnerActor>[];
  policies: Handle<PolicyActor>[];
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
/** A run outlives many deaths, but not an actor that dies as soon as it starts. */
const restart = { policy: "on-failure", max: 20, withinMs: 60_000, backoffMs: 50 } as const;

function loraOf(config: Config["trainer"]["policy"]["model"]["lora"]): LoraOptions | null {
  const { rank, alpha, target_modules: targets } = config;
  return rank === 0 ? null : { rank, alpha, targets: targets === "all-linear" ? [...projections] : targets };
}

/** The learner first: it tells the shape of the model to those that serve it. */
export async function spawnLearners(system: ActorSystem, spec: TopologySpec): Promise<Handle<LearnerActor>[]> {
  const lora = loraOf(spec.config.trainer.policy.model.lora);
  return spawnRanks(system, spec, { lora, prefix: spec.prefix });
}

/** As many ranks as the policy's learner has, of a critic with the trunk of `spec.model`. */
export async function spawnCritics(system: ActorSystem, spec: TopologySpec): Promise<Handle<LearnerActor>[]> {
  return spawnRanks(system, spec, { valueHead: true, prefix: `${spec.prefix}critic-` });
}

async function spawnRanks(
  system: ActorSystem,
  spec: TopologySpec,
  of: Pick<LearnerOptions, "prefix" | "lora" | "valueHead">,
): Promise<Handle<LearnerActor>[]> {
  const { learner_ranks: world } = spec.config.trainer;
  const common = { ...learnerSettings(spec), ...of, world };
  const args = (rank: number): [LearnerOptions] => [{ ...common, rank }];
  return [...(await system.spawnGroup(learnerActor, world, { args, restart }))];
}

function learnerSettings({ model, config }: TopologySpec) {
  const { learner_threads: threads, gradient_checkpointing: gradientCheckpointing, seed } = config.trainer;
  return { model, seed, threads, gradientCheckpointing, collectiveTimeoutMs };
}

/** A learner that never learns, with the weights of a checkpoint. */
export async function spawnReference(system: ActorSystem, spec: TopologySpec): Promise<Handle<LearnerActor>> {
  const options = { ...learnerSettings(spec), rank: 0, world: 1, prefix: `${spec.prefix}reference-` };
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
  const [policies, sandboxes] = await Promise.all([
    system
      .spawnGroup(policyActor, generator.num_inference_engines, {
        args: (): [PolicyOptions] => [
          {
            model,
            maxSequences: generator.max_num_seqs,
            threads: generator.inference_engine_threads,
            prefix: spec.prefix,
            environment: spec.environment,
            kv: generator.kv_on_weight_update,
          },
        ],
        restart,
      })
      .then(own),
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
        limits: limitsOf(spec.config, spec.def, model),
        concurrency: Math.ceil(generator.num_parallel_generation_workers / count),
        maxAttempts: generator.max_attempts,
        callTimeoutMs,
        progressMs: generator.progress_interval_seconds * 1000,
      },
    ],
    restart,
  });
  return { policies, rollouts: own(spawned), sandboxes };
}

async function spawnSandboxes(system: ActorSystem, config: Config["environment"]): Promise<Handle<SandboxActor>[]> {
  const { sandboxes: size, sandbox_backend: backend } = config;
  return [await system.spawn(sandboxActor, { args: [{ size, backend }], restart })];
}

function limitsOf({ generator }: Config, def: EnvironmentDef, model: ModelConfig): EpisodeLimits {
  return {
    maxTurns: Math.min(generator.max_turns ?? def.maxTurns, def.maxTurns),
    maxActionTokens: generator.max_generate_length ?? def.maxActionTokens,
    maxSeqLen: model.maxSeqLen,
  };
}
