import { actors } from "#protos";
import { coordinatorHandle, eventTopic } from "./cluster/protocol.js";
import { encodeValue } from "./core/codec.js";
import type { ActorDef, Hosting } from "./core/definition.js";
import { ActorsError } from "./core/errors.js";
import { type Group, makeGroup } from "./core/group.js";
import { type Handle, idOf, makeHandle, methodMarks } from "./core/handle.js";
import { type ActorId, newActorId } from "./core/ids.js";
import type { ClusterInfo, Runtime } from "./core/runtime.js";
import type { JetStreamClient } from "./transport/nats.js";

const defaultSpawnMs = 60_000;

export interface RestartOptions {
  policy?: "on-failure" | "always" | "never";
  /** Restarts allowed within `withinMs`; one more and the actor has failed. Default 5 in 60 s. */
  max?: number;
  withinMs?: number;
  /** First delay, doubled each time up to 5 s, with jitter. Default 50 ms. */
  backoffMs?: number;
}

export interface SpawnOptions<Args extends unknown[]> {
  /** Constructor arguments; kept, and used again at a restart. */
  args?: Args;
  /** A second spawn under a live name fails with NAME_TAKEN. */
  name?: string;
  hosting?: Hosting;
  cpus?: number;
  gpus?: number;
  memoryMb?: number;
  resources?: Record<string, number>;
  /** A node's id or slot (`n2`). */
  node?: string;
  restart?: RestartOptions;
  /** Calls that may wait in the mailbox. Default 4,096. */
  mailbox?: number;
  timeoutMs?: number;
}

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
  failure: string;
}

export interface NodeInfo {
  id: string;
  state: "up" | "draining" | "dead";
  host: string;
  pid: number;
  cpus: number;
  memoryMb: number;
  actors: number;
}

export interface SystemEvent {
  /** Unix milliseconds. */
  at: number;
  kind: string;
  subject: string;
  /** One sentence: what happened and what was done. */
  text: string;
}

const hostings: Record<Hosting, actors.v1.Hosting> = {
  inline: actors.v1.Hosting.INLINE,
  thread: actors.v1.Hosting.THREAD,
  process: actors.v1.Hosting.PROCESS,
};
const policies = {
  "on-failure": actors.v1.RestartPolicy.ON_FAILURE,
  always: actors.v1.RestartPolicy.ALWAYS,
  never: actors.v1.RestartPolicy.NEVER,
};
export const hostingOf = (h: actors.v1.Hosting): Hosting => (["inline", "thread", "process"] as const)[h]!;

/** The way into the cluster for a program or an actor. What it spawns, it owns: children stop with their owner. */
export class ActorSystem {
  readonly #runtime: Runtime;
  readonly #owner: string;
  readonly #close: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(runtime: Runtime, owner: string, close: () => Promise<void> = () => Promise.resolve()) {
    this.#runtime = runtime;
    this.#owner = owner;
    this.#close = close;
  }

  get cluster(): ClusterInfo {
    return this.#runtime.cluster;
  }

  /**
   * Starts an actor somewhere in the cluster and resolves once it runs.
   * @throws ActorsError INFEASIBLE (what is missing, on which node), NAME_TAKEN, START_FAILED (cause: what the constructor threw), DEADLINE_EXCEEDED
   */
  async spawn<A extends object, Args extends unknown[]>(
    def: ActorDef<A, Args>,
    options: SpawnOptions<Args> = {},
  ): Promise<Handle<A>> {
    const { restart } = options;
    const record = new actors.v1.ActorRecord({
      id: newActorId(),
      name: options.name ?? "",
      def: def.name,
      module: def.module,
      hosting: hostings[options.hosting ?? def.hosting],
      needs: {
        cpus: options.cpus ?? 0,
        gpus: options.gpus ?? 0,
        memoryMb: options.memoryMb ?? 0,
        custom: options.resources ?? {},
      },
      restart: {
        policy: policies[restart?.policy ?? "on-failure"],
        max: restart?.max ?? 5,
        withinMs: restart?.withinMs ?? 60_000,
        backoffMs: restart?.backoffMs ?? 50,
      },
      parent: this.#owner,
      args: encodeValue(options.args ?? []),
      wantNode: options.node ?? "",
      mailbox: options.mailbox ?? 0,
      methods: methodMarks(def as unknown as ActorDef),
    });
    const timeoutMs = options.timeoutMs ?? defaultSpawnMs;
    const spawn = coordinatorHandle(this.#runtime.endpoint.calls).spawn.with({ timeoutMs });
    const started = actors.v1.ActorRecord.decode(await spawn(actors.v1.ActorRecord.encode(record).finish(), timeoutMs));
    this.#runtime.directory?.hint(started);
    return makeHandle(this.#runtime.endpoint.calls, started.id as ActorId, def as ActorDef<A, never>);
  }

  /** `count` actors of one kind, spread over the nodes. All run, or none: what did start is stopped again. */
  async spawnGroup<A extends object, Args extends unknown[]>(
    def: ActorDef<A, Args>,
    count: number,
    options: Omit<SpawnOptions<Args>, "args" | "name"> & { args?: (rank: number) => Args } = {},
  ): Promise<Group<A>> {
    const { args, ...shared } = options;
    const spawned = await Promise.allSettled(
      Array.from({ length: count }, (_, rank) => this.spawn(def, { ...shared, ...(args && { args: args(rank) }) })),
    );
    const failed = spawned.find((s) => s.status === "rejected");
    const members = spawned.flatMap((s) => (s.status === "fulfilled" ? [s.value] : []));
    if (failed) {
      await Promise.allSettled(members.map((member) => this.stop(member)));
      throw failed.reason;
    }
    return makeGroup<A>(members, def.methods.keys());
  }

  /** The live actor of that name. @throws ActorsError NOT_FOUND */
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
      actors: list.filter((a) => a.node === record.id && a.state === "RUNNING").length,
    }));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    return { nodes: nodes.sort(byId), actors: list.sort((a, b) => (a.def + a.id < b.def + b.id ? -1 : 1)) };
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

  /** Durable streams. @throws ActorsError UNAVAILABLE in an in-process system, which has no NATS. */
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

  async #shutdown(): Promise<void> {
    const { directory, endpoint } = this.#runtime;
    const coordinator = coordinatorHandle(endpoint.calls);
    const own = [...(directory?.actors.values() ?? [])].filter(
      ({ record }) => record.parent === this.#owner && record.state < actors.v1.ActorState.STOPPED,
    );
    const stop = coordinator.stop.with({ timeoutMs: 10_000 });
    await Promise.allSettled(own.map(({ record }) => stop(record.id, "its owner left")));
    await this.#close();
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
    failure: record.failure?.message ?? "",
  };
}
