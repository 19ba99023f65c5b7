import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { Logger } from "../core/log.js";
import { type ActorRecord, type Directory, label, NodeState } from "../directory/directory.js";
import { type AutoscaleHook, callHook } from "./autoscale-hook.js";
import type { Records } from "./records.js";

/** What the hook is told. */
export interface Demand {
  /** What waits for room, alike ones together. */
  unmet: Shape[];
  nodes: { id: string; host: string; capacity: unknown; labels: Record<string, string>; idleSince: string | null }[];
}

export interface Shape {
  cpus: number;
  gpus: number;
  memoryMb: number;
  resources: Record<string, number>;
  labels: Record<string, string>;
  strategy: string;
  /** Of actors that are placed together or not at all; empty otherwise. */
  gang: string;
  count: number;
  /** The oldest of them. ISO 8601 */
  waitingSince: string;
  /** Which, and why there is no room for the first of them. */
  actors: string[];
  why: string;
}

const lookMs = 250;
const patienceMs = 1_000;
const idleMs = 30_000; // a node without actors for so long is worth a call
const leastGapMs = 2_000;
const repeatMs = 30_000; // while the demand stays unmet
const deadlineMs = 30_000;
const mostBackoffMs = 60_000;

/** Tells the hook of demand that no node can meet, and of nodes that are idle. It only looks, so nothing waits for it. */
export class Autoscaler {
  readonly #directory: Directory;
  readonly #records: Records;
  readonly #hook: AutoscaleHook;
  readonly #log: Logger;
  readonly #waitingSince = new Map<string, number>();
  readonly #idleSince = new Map<string, number>();
  readonly #ended = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #calling = false;
  #told = "";
  #dueAt = 0;
  #repeatAt = 0;
  #failures = 0;
  #lastFailure = "";

  constructor(on: { directory: Directory; records: Records; hook: AutoscaleHook; log: Logger }) {
    this.#directory = on.directory;
    this.#records = on.records;
    this.#hook = on.hook;
    this.#log = on.log;
    this.#timer = setInterval(() => void this.#look(), lookMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#ended.abort();
  }

  async #look(): Promise<void> {
    const now = Date.now();
    const all = this.#records.waiting();
    this.#note(now, all);
    if (this.#calling || now < this.#dueAt) return;
    const waiting = all.filter(({ id }) => now - (this.#waitingSince.get(id) ?? now) >= patienceMs);
    const idle = [...this.#idleSince].filter(([, since]) => now - since >= idleMs).map(([id]) => id);
    const key = waiting.length + idle.length === 0 ? "" : JSON.stringify([waiting.map(({ id }) => id), idle]);
    if (key === this.#told && !(waiting.length > 0 && now >= this.#repeatAt)) return;
    this.#calling = true;
    try {
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(deadlineMs)]);
      await callHook(this.#hook, JSON.stringify(this.#demand(waiting)), signal);
      this.#told = key;
      this.#failures = 0;
      this.#lastFailure = "";
      this.#dueAt = Date.now() + leastGapMs;
    } catch (error) {
      this.#dueAt = Date.now() + Math.min(mostBackoffMs, leastGapMs * 2 ** this.#failures++);
      this.#failed(ActorsError.from(error));
    }
    this.#repeatAt = Date.now() + repeatMs;
    this.#calling = false;
  }

  #failed(error: ActorsError): void {
    const text = error.rawMessage;
    if (this.#ended.signal.aborted || text === this.#lastFailure) return;
    this.#lastFailure = text;
    this.#log.warn(`the autoscale hook failed, and is called again later: ${text}`);
  }

  #note(now: number, all: readonly ActorRecord[]): void {
    const waiting = new Set(all.map(({ id }) => id));
    const idle = new Set(this.#up().flatMap(({ id }) => (this.#records.load(id).count === 0 ? [id] : [])));
    for (const [since, ids] of [
      [this.#waitingSince, waiting],
      [this.#idleSince, idle],
    ] as const) {
      for (const id of since.keys()) if (!ids.has(id)) since.delete(id);
      for (const id of ids) if (!since.has(id)) since.set(id, now);
    }
  }

  #up() {
    const nodes = [...this.#directory.nodes.values()].map(({ record }) => record);
    return nodes.filter(({ state }) => state === NodeState.NODE_UP);
  }

  #demand(waiting: readonly ActorRecord[]): Demand {
    const shapes = new Map<string, Shape>();
    for (const record of waiting) {
      const { cpus, gpus, memoryMb, custom } = new actors.v1.Resources(record.needs ?? {});
      const { labels, strategy, gang } = new actors.v1.Placement(record.placement ?? {});
      const alike = { cpus, gpus, memoryMb, resources: custom, labels, strategy: strategyNames[strategy]!, gang };
      const key = JSON.stringify(alike);
      const waitingSince = new Date(this.#waitingSince.get(record.id)!).toISOString();
      const known = shapes.get(key);
      const shape = known ?? { ...alike, count: 0, waitingSince, actors: [], why: record.waiting };
      shape.count++;
      shape.actors.push(label(record));
      if (waitingSince < shape.waitingSince) shape.waitingSince = waitingSince;
      shapes.set(key, shape);
    }
    const nodes = this.#up().map(({ id, host, capacity, labels }) => {
      const since = this.#idleSince.get(id);
      const idleSince = since === undefined ? null : new Date(since).toISOString();
      return { id, host, capacity: capacity ?? {}, labels, idleSince };
    });
    return { unmet: [...shapes.values()], nodes };
  }
}

const strategyNames = ["spread", "pack", "strict-spread", "strict-pack"] as const;
