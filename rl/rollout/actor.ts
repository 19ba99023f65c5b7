// A handle that comes in a message speaks protobuf only where its definition is loaded.
import "../policy/actor.js";
import "../policy/remote/actor.js";
import "../sandbox/actor.js";
import { setMaxListeners } from "node:events";
import { type ActorContext, ActorsError, defineActor, type Handle, isActorsError, pause } from "../../runtime/index.js";
import type { EnvironmentDef } from "../environments/environment.js";
import type { Policy } from "../policy/actor.js";
import type { SandboxActor } from "../sandbox/actor.js";
import { SandboxClient } from "../sandbox/client.js";
import { openTrajectoryLog, type TrajectoryLog } from "../trajectories/log.js";
import {
  decodeTrajectory,
  encodeTrajectory,
  type SamplePosition,
  type StageSeconds,
  type Trajectory,
} from "../trajectories/trajectory.js";
import { type EnvironmentRef, loadEnvironment } from "./environment-ref.js";
import { type Episode, EpisodeDiverged, type EpisodeLimits, type Generate, playEpisode } from "./episode.js";
import type { Sampling } from "./sampling.js";
import { type Passage, Pipeline, type StageOptions } from "./stages.js";

export interface RolloutOptions {
  run: string;
  environment: EnvironmentRef;
  policies: Handle<Policy>[];
  sandboxes: Handle<SandboxActor>[];
  limits: EpisodeLimits;
  stages: StageOptions;
  /** Tries of an episode that fails for a reason that is not the policy's. */
  maxAttempts: number;
  /** Of one generation, one publication. */
  callTimeoutMs: number;
  /** An episode that takes longer tells the trainer this often how far it is, so that it can be continued elsewhere. */
  progressMs: number;
}

/** A wish for one episode. The same key always means the same episode. */
export interface Ask extends SamplePosition {
  key: string;
  attempt: number;
  seed: number;
  /** Plain data, as the environment made it. */
  task: unknown;
  sampling: Sampling;
  /** Send the trajectory to the trainer's log; without it only the outcome is told. */
  publish: boolean;
  /** The trajectory as far as an earlier try came, encoded: it is continued. */
  progress?: Uint8Array;
}

export interface Outcome {
  key: string;
  /** failed: no fault of the policy, not to be scored. */
  status: "done" | "failed";
  /** Why it failed. */
  reason: string;
  reward: number;
  tokens: number;
  turns: number;
  /** Tries that were lost on the way. */
  retries: number;
  finish: string;
  metrics: Record<string, number>;
}

const retryMs = 100;

/** Plays many episodes at once between policies, sandboxes and the environment's code. */
export class RolloutActor {
  readonly #options: RolloutOptions;
  readonly #pipeline: Pipeline;
  #environment: EnvironmentDef | undefined;
  #log: TrajectoryLog | undefined;
  #context: ActorContext | undefined;
  #next = 0;

  constructor(options: RolloutOptions) {
    this.#options = options;
    this.#pipeline = new Pipeline(options.stages);
  }

  async onStart(context: ActorContext): Promise<void> {
    this.#context = context;
    this.#environment = await loadEnvironment(this.#options.environment);
    this.#log = openTrajectoryLog(context.system, this.#options.run);
  }

  /** Resolves when each episode is done (and stored, where asked for) or has failed for good. */
  async play(asks: Ask[]): Promise<Outcome[]> {
    const { call, signal: stopped } = this.#context!;
    const signal = AbortSignal.any([call.signal, stopped]);
    setMaxListeners(0, signal); // every episode's calls listen
    return Promise.all(asks.map((ask) => this.#try(ask, signal)));
  }

  async #try(ask: Ask, signal: AbortSignal): Promise<Outcome> {
    const { maxAttempts, progressMs } = this.#options;
    let from: Episode | null = ask.progress ? episodeOf(decodeTrajectory(ask.progress)) : null;
    for (let attempt = 0; ; attempt++) {
      try {
        using passage = this.#pipeline.passage(signal);
        const startedAt = Date.now();
        let told = startedAt;
        const publish = (episode: Episode) => this.#publish(ask, episode, startedAt, passage.seconds, signal);
        const episode = await this.#play(ask, from, passage, signal, (soFar) => {
          from = soFar;
          if (!ask.publish || Date.now() - told < progressMs) return;
          told = Date.now();
          publish(soFar).catch((error: unknown) => {
            if (!signal.aborted) this.#context?.log.warn({ err: error, key: ask.key }, "progress was not stored");
          });
        });
        if (ask.publish) await publish(episode);
        return outcome(ask, attempt, episode);
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof EpisodeDiverged) {
          this.#context?.log.warn({ key: ask.key }, `${error.message}; the episode is played anew`);
          from = null;
          continue;
        }
        const again = isActorsError(error) && error.retryable && attempt + 1 < maxAttempts;
        this.#context?.log.warn({ err: error, key: ask.key }, again ? "episode lost, played again" : "episode failed");
        if (!again) return failure(ask, attempt, error as Error);
        await pause(retryMs * 2 ** attempt, signal);
      }
    }
  }

  async #play(
    ask: Ask,
    from: Episode | null,
    passage: Passage,
    signal: AbortSignal,
    onTurn: (soFar: Episode) => void,
  ): Promise<Episode> {
    const { policies, sandboxes, limits, callTimeoutMs } = this.#options;
    const { id, epoch } = this.#context!;
    await passage.enter("init");
    const turn = this.#next++;
    const policy = policies[turn % policies.length]!;
    const client = new SandboxClient(sandboxes[turn % sandboxes.length]!, { id, epoch });
    const image = this.#environment!.image?.(ask.task);
    const wanted = { signal, ...(image && { image }) };
    await using sandbox = await passage.queue((timeoutMs) => client.open({ timeoutMs, ...wanted }));
    const generate: Generate = (request) =>
      passage.generate((signal) => policy.generate.with({ timeoutMs: callTimeoutMs, signal })(request));
    const { task, seed, sampling, key: session } = ask;
    const spec = { environment: this.#environment!, task, seed, sampling, limits, session, from, onTurn };
    try {
      return await playEpisode(spec, generate, sandbox, passage);
    } finally {
      policy.release.tell(session);
    }
  }

  async #publish(
    ask: Ask,
    episode: Episode,
    startedAt: number,
    stages: StageSeconds,
    signal: AbortSignal,
  ): Promise<void> {
    const { key, step, group, sample, attempt, seed } = ask;
    const bytes = encodeTrajectory({
      ...{ key, step, group, sample, attempt, seed, ...episode },
      task: JSON.stringify(ask.task),
      startedAt,
      seconds: (Date.now() - startedAt) / 1000,
      stages,
    });
    const id = episode.finish === "" ? `${key}+${episode.turns.length}` : key;
    await this.#log!.publish(id, bytes, { timeoutMs: this.#options.callTimeoutMs, signal });
  }
}

function episodeOf({ finish: _, ...trajectory }: Trajectory): Episode {
  return { ...trajectory, finish: "" };
}

function outcome({ key }: Ask, retries: number, episode: Episode): Outcome {
  const { reward, finish, metrics, tokens_T, turns } = episode;
  return {
    key,
    status: "done",
    reason: "",
    reward,
    tokens: tokens_T.length,
    turns: turns.length,
    retries,
    finish,
    metrics,
  };
}

function failure({ key }: Ask, retries: number, error: Error): Outcome {
  const reason = error instanceof ActorsError ? error.rawMessage : error.message;
  return { key, status: "failed", reason, reward: 0, tokens: 0, turns: 0, retries, finish: "", metrics: {} };
}

export const rolloutActor = defineActor({
  name: "rollout",
  module: import.meta.url,
  class: RolloutActor,
  shared: ["play"],
  hosting: "process",
});
