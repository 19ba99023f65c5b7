import { actors } from "#protos";
import type { ClusterBundles } from "./bundles/cluster.js";
import { bundleOf, installMs } from "./bundles/names.js";
import { Introspection } from "./cluster/introspection.js";
import { coordinatorHandle, eventTopic } from "./cluster/protocol.js";
import type { ActorDef, Hosting } from "./core/definition.js";
import { ActorsError } from "./core/errors.js";
import { type Group, makeGroup } from "./core/group.js";
import { type Handle, idOf, makeHandle } from "./core/handle.js";
import { type ActorId, newActorId } from "./core/ids.js";
import type { ClusterInfo, Runtime } from "./core/runtime.js";
import { type ActorRecord, type Crash, crashesOf, hasEnded } from "./directory/directory.js";
import type { ObjectRef } from "./objects/ref.js";
import { type GroupOptions, newRecord, type SpawnOptions } from "./spawn.js";
import type { JetStreamClient } from "./transport/nats.js";
import { type LifecycleEvent, watchActor } from "./watch.js";

const defaultSpawnMs = 60_000;
/** A bundle may have to be installed first. */
const startMsOf = (module: string) => defaultSpawnMs + (bundleOf(module) === undefined ? 0 : installMs);

export interface ActorInfo {
  id: string;
  name: string;
  def: string;
  state: keyof typeof actors.v1.ActorState;
  node: string;
  epoch: number;
  restarts: number;
  hosting: Hosting;
  pid: number;
  /** Id of the actor or endpoint that spawned it and takes it along when it ends; empty for a detached one. */
  owner: string;
  /** GPUs handed out to it. */
  devices: string[];
  /** Why it has no node yet, while it waits for room. */
  waiting: string;
  /** Why its last incarnation ended, empty when none did by itself. */
  failure: string;
  /** The newest five ends that nobody asked for, oldest first. */
  crashes: Crash[];
}

export interface NodeInfo {
  id: string;
  state: "up" | "draining" | "dead";
  host: string;
  pid: number;
  cpus: number;
  memoryMb: number;
  /** Ids of the GPUs it hands out. */
  devices: string[];
  resources: Record<string, number>;
  labels: Record<string, string>;
  actors: number;
  /** URL of its figures for Prometheus, on its own machine's loopback; empty until it serves them, soon after its start. */
  metrics: string;
}

export interface SystemEvent {
  /** Unix milliseconds. */
  at: number;
  kind: string;
  subject: string;
  /** One sentence: what happened and what was done. */
  text: string;
}

export const hostingOf = (h: actors.v1.Hosting): Hosting => (["inline", "thread", "process"] as const)[h]!;

/**
 * The way into the cluster for a program or an actor. What it spawns, it owns: children stop with their owner, unless
 * they are detached.
 */
export class ActorSystem {
  readonly #runtime: Runtime;
  readonly #owner: string;
  readonly #on: { close?: () => Promise<void>; readonly signal?: AbortSignal };
  #closed: Promise<void> | undefined;

  /** @param on.signal aborts when the owner ends */
  constructor(
    runtime: Runtime,
    owner: string,
    on: { close?: () => Promise<void>; readonly signal?: AbortSignal } = {},
  ) {
    this.#runtime = runtime;
    this.#owner = owner;
    this.#on = on;
  }

  get cluster(): ClusterInfo {
    return this.#runtime.cluster;
  }

  /**
   * Starts an actor somewhere in the cluster and resolves once it runs.
   * @throws ActorsError INFEASIBLE (what is missing, on which node), NAME_TAKEN, START_FAILED (cause: what the constructor threw), INVALID_ARGUMENT (name), DEADLINE_EXCEEDED
   */
  spawn<A extends object, Args extends unknown[]>(
    def: ActorDef<A, Args>,
    options: SpawnOptions<Args> = {},
  ): Promise<Handle<A>> {
    return this.#start("spawn", def, options);
  }

  /**
   * The live actor of that name, as it is; where there is none, a new one with these options. However many ask at once,
   * one is made and all get it. Whoever made it owns it, and takes it along for all: pass `detached` for one to share.
   * @throws ActorsError NAME_TAKEN when the name belongs to another definition; else as `spawn`
   */
  getOrSpawn<A extends object, Args extends unknown[]>(
    def: ActorDef<A, Args>,
    options: SpawnOptions<Args> & { name: string },
  ): Promise<Handle<A>> {
    return this.#start("getOrSpawn", def, options);
  }

  /**
   * `count` actors of one kind, in rank order. They are placed together: all of them, once there is room for all, or
   * none; and all of them start, or none. Default strategy: "spread".
   * @throws ActorsError as `spawn`
   */
  async spawnGroup<A extends object, Args extends unknown[]>(
    def: ActorDef<A, Args>,
    count: number,
    options: GroupOptions<Args> = {},
  ): Promise<Group<A>> {
    const { args, ...shared } = options;
    const { calls } = this.#runtime.endpoint;
    const from = await this.#from(def);
    const timeoutMs = options.timeoutMs ?? startMsOf(from.module);
    const gang = { id: newActorId(), size: count };
    const records = Array.from({ length: count }, (_, rank) =>
      newRecord(def, { ...shared, ...(args && { args: args(rank) }) }, from, gang),
    );
    const encoded = records.map((record) => actors.v1.ActorRecord.encode(record).finish());
    const started = count === 0 ? [] : await coordinatorHandle(calls).spawnGang.with({ timeoutMs })(encoded, timeoutMs);
    const members = started.map((each) => this.#reach(def, actors.v1.ActorRecord.decode(each)));
    return makeGroup<A>(calls, members, def.methods.values());
  }

  /** The live actor of that name. @throws ActorsError NOT_FOUND, UNAVAILABLE in a worker thread */
  lookup<A extends object, Args extends unknown[]>(def: ActorDef<A, Args>, name: string): Handle<A> {
    const id = this.#directory().names.get(name);
    const known = id && this.#directory().actors.get(id);
    if (!known || this.#directory().resolve(id).state === "gone") {
      throw new ActorsError("NOT_FOUND", `no actor is named ${name}`, { hint: "`actors ps` lists the names." });
    }
    if (known.record.def !== def.name) {
      throw new ActorsError("NOT_FOUND", `${name} is a ${known.record.def}, not a ${def.name}`);
    }
    return makeHandle(this.#runtime.endpoint.calls, id, def as ActorDef<A, never>);
  }

  /** Runs its onStop, then ends it. Stopping what has ended already is no error. */
  async stop(handle: object, reason = "stopped by its owner"): Promise<void> {
    await coordinatorHandle(this.#runtime.endpoint.calls).stop(idOf(handle), reason);
  }

  /**
   * Follows an actor without owning it or keeping it alive: its state now, then each change. A slow reader gets the
   * newest state, not every one on the way. An actor between two incarnations shows once it runs again or has failed.
   * Ends after `stopped` or `failed`, of an actor that ended long ago too; also when `signal` aborts or this system ends.
   * @throws ActorsError UNAVAILABLE in a worker thread; from the loop NOT_FOUND when there is and was no such actor
   */
  watch(handle: object, options: { signal?: AbortSignal } = {}): AsyncGenerator<LifecycleEvent, void, undefined> {
    const signals = [this.#on.signal, options.signal].filter((signal) => signal !== undefined);
    return watchActor(this.#directory(), idOf(handle), signals);
  }

  ps(): { nodes: NodeInfo[]; actors: ActorInfo[] } {
    const directory = this.#directory();
    const list = [...directory.actors.values()].map(({ record }) => toActorInfo(record));
    const nodes = [...directory.nodes.values()].map(({ record }) => ({
      id: record.id,
      state: (["up", "draining", "dead"] as const)[record.state]!,
      host: record.host,
      pid: record.pid,
      cpus: record.capacity?.cpus ?? 0,
      memoryMb: record.capacity?.memoryMb ?? 0,
      devices: record.devices,
      resources: record.capacity?.custom ?? {},
      labels: record.labels,
      actors: list.filter((a) => a.node === record.id && a.state === "RUNNING").length,
      metrics: record.metrics,
    }));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    return { nodes: nodes.sort(byId), actors: list.sort((a, b) => (a.def + a.id < b.def + b.id ? -1 : 1)) };
  }

  /** What actors and processes do now. */
  introspection(): Introspection {
    return new Introspection({ ...this.#runtime, directory: this.#directory() });
  }

  /** Code that programs have shipped to the nodes. @throws ActorsError UNAVAILABLE in an in-process system or worker thread */
  async bundles(): Promise<ClusterBundles> {
    const { ClusterBundles } = await import("./bundles/cluster.js"); // for the few that ask
    return new ClusterBundles({ ...this.#runtime, directory: this.#directory() });
  }

  /** Deaths, restarts and other changes of the cluster, as they happen. */
  onEvent(heard: (event: SystemEvent) => void): () => void {
    return this.#runtime.bus.subscribe(eventTopic, (bytes) => {
      const { at, kind, subject, text } = actors.v1.ClusterEvent.decode(bytes);
      heard({ at, kind, subject, text });
    });
  }

  /** Told each time this process is connected again after it was cut off; what was sent to it meanwhile may be lost. */
  onReconnect(heard: () => void): () => void {
    return this.#runtime.bus.onReconnect(heard);
  }

  /**
   * Keeps a value outside messages: typed arrays in it are mapped by whoever gets it, not copied, on one host. It ends
   * with `free`, with its owner, the actor or client that put it, or with the owner's process. Do not change the value
   * before this resolves.
   * @throws ActorsError RESOURCE_EXHAUSTED when neither memory nor disk has room, UNAVAILABLE without shared memory
   */
  put<T>(value: T): Promise<ObjectRef<T>> {
    return this.#runtime.objects.put(value, this.#owner);
  }

  /**
   * The value of an object. Its large typed arrays are the object's own memory: read them, and copy what you want to
   * change. It stays readable for as long as you hold it, also when the object is freed.
   * @throws ActorsError NOT_FOUND (it was freed), OBJECT_LOST (its owner's process has ended), UNAVAILABLE, DEADLINE_EXCEEDED
   */
  get<T>(ref: ObjectRef<T>): Promise<T> {
    return this.#runtime.objects.get(ref);
  }

  /**
   * Lets go of an object, whoever owns it; one that is gone is no error. A value of up to 64 KiB lives in each copy of
   * its reference: then only this copy is freed.
   */
  free(ref: ObjectRef): Promise<void> {
    return this.#runtime.objects.free(ref);
  }

  /** The cluster's durable work queue; a process can reach no other streams. @throws ActorsError UNAVAILABLE in an in-process system, which has no NATS. */
  jetstream(): JetStreamClient {
    const { nc } = this.#runtime;
    if (nc) return nc.jetstream({ timeout: 5000 });
    throw new ActorsError("UNAVAILABLE", "an in-process system has no JetStream", {
      hint: "Start a cluster with `actors up` and join it.",
    });
  }

  /** Stops what this system spawned and leaves the cluster; an in-process one ends. */
  close(): Promise<void> {
    this.#closed ??= this.#shutdown();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start<A extends object, Args extends unknown[]>(
    how: "spawn" | "getOrSpawn",
    def: ActorDef<A, Args>,
    options: SpawnOptions<Args>,
  ): Promise<Handle<A>> {
    const { calls } = this.#runtime.endpoint;
    const from = await this.#from(def);
    const timeoutMs = options.timeoutMs ?? startMsOf(from.module);
    const record = newRecord(def, options, from);
    const start = coordinatorHandle(calls)[how].with({ timeoutMs });
    const started = actors.v1.ActorRecord.decode(await start(actors.v1.ActorRecord.encode(record).finish(), timeoutMs));
    return this.#reach(def, started);
  }

  async #from({ module }: { module: string }): Promise<{ owner: string; module: string }> {
    return { owner: this.#owner, module: await this.#runtime.locate(module) };
  }

  #reach<A extends object, Args extends unknown[]>(def: ActorDef<A, Args>, started: ActorRecord): Handle<A> {
    this.#runtime.directory?.hint(started);
    return makeHandle(this.#runtime.endpoint.calls, started.id as ActorId, def as ActorDef<A, never>);
  }

  async #shutdown(): Promise<void> {
    const { directory, endpoint } = this.#runtime;
    const coordinator = coordinatorHandle(endpoint.calls);
    const own = [...(directory?.actors.values() ?? [])].filter(
      ({ record }) => record.parent === this.#owner && !hasEnded(record),
    );
    const stop = coordinator.stop.with({ timeoutMs: 10_000 });
    await Promise.allSettled(own.map(({ record }) => stop(record.id, "its owner left")));
    await this.#on.close?.();
  }

  #directory() {
    const { directory } = this.#runtime;
    if (directory) return directory;
    throw new ActorsError("UNAVAILABLE", "a worker thread has no copy of the directory", {
      hint: "Ask from the main thread, or host the actor inline or in a process.",
    });
  }
}

function toActorInfo(record: actors.v1.ActorRecord): ActorInfo {
  return {
    id: record.id,
    name: record.name,
    def: record.def,
    state: actors.v1.ActorState[record.state] as keyof typeof actors.v1.ActorState,
    node: record.node,
    epoch: record.epoch,
    restarts: record.restarts,
    hosting: hostingOf(record.hosting),
    pid: record.pid,
    owner: record.parent,
    devices: record.devices,
    waiting: record.waiting,
    failure: record.failure?.message ?? "",
    crashes: crashesOf(record),
  };
}
