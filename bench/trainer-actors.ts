// The actors of bench/trainer.ts: they take the time of a GPU cluster, and do none of its work.
import { noWeights } from "../rl/algorithms/corrections.js";
import type { UpdateReply, UpdateRequest } from "../rl/learner/actor.js";
import type { UpdateStats } from "../rl/learner/update.js";
import type { WeightsRef } from "../rl/policy/weights.js";
import type { Ask, Outcome } from "../rl/rollout/actor.js";
import { Gate } from "../rl/rollout/gate.js";
import { openTrajectoryLog } from "../rl/trajectories/log.js";
import { encodeTrajectory } from "../rl/trajectories/trajectory.js";
import { type ActorContext, defineActor, pause } from "../runtime/index.js";

export interface SimulatedRolloutOptions {
  run: string;
  /** Responses that the engines decode at once. */
  slots: number;
  /** Of the longest response. */
  longestMs: number;
}

/** Share of the longest response's time: lognormal, cut at 1. By the seed alone. */
export function shareOf(seed: number): number {
  const [u, v] = [fraction(seed), fraction(seed ^ 0x5bd1e995)];
  const normal = Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v);
  return Math.min(1, Math.exp(-1.05 + 0.7 * normal));
}

function fraction(seed: number): number {
  let h = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

export class SimulatedRollout {
  readonly #options: SimulatedRolloutOptions;
  readonly #gate: Gate;
  #context: ActorContext | undefined;
  #version = 0;

  constructor(options: SimulatedRolloutOptions) {
    this.#options = options;
    this.#gate = new Gate(options.slots);
  }

  onStart(context: ActorContext): void {
    this.#context = context;
  }

  load(version: number): void {
    this.#version = version;
  }

  async play(asks: Ask[]): Promise<Outcome[]> {
    const { call, system } = this.#context!;
    const log = openTrajectoryLog(system, this.#options.run);
    return Promise.all(
      asks.map((ask) =>
        this.#inTurn(call.signal, async (): Promise<Outcome> => {
          const first = this.#version;
          await pause(this.#options.longestMs * shareOf(ask.seed), call.signal);
          call.signal.throwIfAborted();
          const { key, step, group, sample, attempt, seed } = ask;
          const bytes = encodeTrajectory({
            ...{
              key,
              step,
              group,
              sample,
              attempt,
              seed,
              task: "",
              prompt: "",
              finish: "submitted",
              turns: [],
              contexts: [],
              shared: 0,
            },
            ...{ reward: sample % 2, startedAt: 0, seconds: 0, metrics: {} },
            stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 },
            tokens_T: Int32Array.of(1, 2, 3),
            lossMask_T: Uint8Array.of(0, 1, 1),
            logprobs_T: Float32Array.of(0, -1, -1),
            versions_T: Uint32Array.of(0, first, this.#version),
          });
          await log.publish(key, bytes, { timeoutMs: 60_000, signal: call.signal });
          return {
            key,
            status: "done",
            reason: "",
            reward: 0,
            tokens: 3,
            turns: 1,
            retries: 0,
            finish: "",
            metrics: {},
          };
        }),
      ),
    );
  }

  async #inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.#gate.enter(signal, 300_000, "a slot of the engines");
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

export const simulatedRollout = defineActor({
  name: "bench.rollout",
  module: import.meta.url,
  class: SimulatedRollout,
  shared: ["play", "load"],
  hosting: "process",
});

/** Of a learner only what the trainer calls in a run without deaths. */
export class SimulatedLearner {
  readonly #updateMs: number;

  constructor(updateMs: number) {
    this.#updateMs = updateMs;
  }

  resume(): void {}

  config() {
    return {};
  }

  commit(version: number): WeightsRef {
    return { version, path: "", bytes: 0, checksum: "" };
  }

  async update({ version }: UpdateRequest): Promise<UpdateReply> {
    await pause(this.#updateMs);
    const seconds = { logprobs: 0, forwardBackward: 0, optimizer: 0 };
    const stats: UpdateStats = {
      ...{ tokens: 1, updates: 1, loss: 0, entropySum: 0, clippedSum: 0, klSum: 0, refKlSum: 0, ratioMax: 1 },
      ...{ gradNorm: 1, skipped: 0, skipReason: null, mismatch: new Float32Array(1), weights: noWeights(), seconds },
    };
    return { stats, weights: this.commit(version), commitSeconds: 0 };
  }
}

export const simulatedLearner = defineActor({
  name: "bench.learner",
  module: import.meta.url,
  class: SimulatedLearner,
  hosting: "process",
});
