import { setMaxListeners } from "node:events";
import { actors } from "#protos";
import { ActorsError, fromFailure } from "../core/errors.js";
import { type ActorId, coordinatorId, type EndpointId, endpointOf } from "../core/ids.js";
import { withDeadline } from "../core/wait.js";
import type { Entry, Store } from "./store.js";

export type ActorRecord = actors.v1.ActorRecord;
export type NodeRecord = actors.v1.NodeRecord;
export type Lease = actors.v1.Lease;
export const { ActorState, NodeState } = actors.v1;

/** One end of an incarnation that nobody asked for. */
export interface Crash {
  /** Unix milliseconds. */
  at: number;
  epoch: number;
  node: string;
  /** `[CODE] message` */
  error: string;
}

/** Where calls to an actor go now. */
export interface Location {
  /** Passive, whoever has something for it asks the coordinator to wake it. */
  state: "unknown" | "waiting" | "running" | "passive" | "gone";
  endpoint: EndpointId;
  epoch: number;
  /** The incarnation up to which all that was accepted is answered, for it became passive. 0: none. */
  rested?: number;
  /** Why it is gone, or why its last incarnation ended. */
  failure: ActorsError | undefined;
}

/** How an endpoint finds actors. */
export interface Resolver {
  resolve(id: ActorId): Location;
  /** Tells of every change after now. */
  onChange(changed: (id: ActorId) => void): () => void;
}

export const unknownLocation: Location = { state: "unknown", endpoint: "" as EndpointId, epoch: 0, failure: undefined };

type Changed = (id: ActorId) => void;

/**
 * A record as the watch told of it, decoded each time it is looked at: most never are, and bytes take a tenth of the
 * memory. They lie in a string, the smallest thing to hold them: a buffer of their own has 200 bytes beside them, and a
 * part of a larger one keeps all of that.
 */
class Known {
  readonly revision: number;
  /** Kept, for every call asks. */
  at: Location | undefined;
  readonly #kept: string | ActorRecord;

  constructor(kept: Uint8Array | ActorRecord, revision: number) {
    this.#kept = kept instanceof Uint8Array ? asLatin1(kept) : kept;
    this.revision = revision;
  }

  /** Learnt from an answer, and not from the watch yet. */
  get isHint(): boolean {
    return typeof this.#kept !== "string";
  }

  get record(): ActorRecord {
    const kept = this.#kept;
    return typeof kept === "string" ? actors.v1.ActorRecord.decode(Buffer.from(kept, "latin1")) : kept;
  }
}

const asLatin1 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");

/** A live copy of the cluster's records, kept by one watch a process. Writes go through the store with compare-and-set. */
export class Directory implements Resolver {
  readonly actors = new Map<ActorId, Known>();
  readonly nodes = new Map<string, { record: NodeRecord; revision: number }>();
  readonly names = new Map<string, ActorId>();
  lease: { record: Lease; revision: number; seenAt: number } | undefined;
  readonly store: Store;
  readonly #listeners = new Set<Changed>();
  readonly #nodeListeners = new Set<(id: string) => void>();
  readonly #awaited = new Set<{ revision: number; reached(): void }>();
  readonly #closing = new AbortController();
  #revision = 0;
  #stop: (() => void) | undefined;

  private constructor(store: Store) {
    this.store = store;
    setMaxListeners(0, this.closed); // every watch listens
  }

  /** Aborts when this copy ends. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  static async open(store: Store): Promise<Directory> {
    const directory = new Directory(store);
    directory.#stop = await store.watch((entry) => directory.#apply(entry));
    return directory;
  }

  resolve(id: ActorId): Location {
    if (id === coordinatorId) return this.#coordinator();
    const known = this.actors.get(id);
    if (known) {
      known.at ??= locate(known.record);
      return known.at;
    }
    const endpoint = endpointOf(id);
    if (endpoint) return { state: "running", endpoint, epoch: 0, failure: undefined };
    for (const { record } of this.nodes.values()) {
      if (id !== `$agent.${record.id}`) continue;
      const dead = record.state === NodeState.NODE_DEAD;
      const failure = dead ? new ActorsError("UNAVAILABLE", `node ${record.id} is dead`) : undefined;
      return { state: dead ? "gone" : "running", endpoint: record.endpoint as EndpointId, epoch: 0, failure };
    }
    return unknownLocation;
  }

  onChange(changed: Changed): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  onNode(changed: (id: string) => void): () => void {
    this.#nodeListeners.add(changed);
    return () => this.#nodeListeners.delete(changed);
  }

  /** A record learnt from an answer, which may arrive before the watch tells of it. */
  hint(record: ActorRecord): void {
    const known = this.actors.get(record.id as ActorId);
    const before = known?.record;
    if (before && (before.epoch > record.epoch || before.state === record.state)) return;
    if (before && hasEnded(before)) return; // the end is never old news
    const rests = before?.state === ActorState.PASSIVE && before.epoch === record.epoch;
    if (rests) return; // nor is this, of one incarnation
    this.actors.set(record.id as ActorId, new Known(record, known?.revision ?? 0));
    if (record.name) this.names.set(record.name, record.id as ActorId);
    this.#tell(record.id as ActorId);
  }

  /**
   * Resolves once the watch has told of everything up to a revision of the store.
   * @throws ActorsError DEADLINE_EXCEEDED, CANCELLED when this copy ends
   */
  async reach(revision: number, timeoutMs: number): Promise<void> {
    if (this.#revision >= revision) return;
    let awaited: { revision: number; reached(): void } | undefined;
    const reached = new Promise<void>((resolve) => {
      awaited = { revision, reached: resolve };
      this.#awaited.add(awaited);
    });
    const what = `the directory's word of revision ${revision}`;
    await withDeadline(reached, timeoutMs, what, this.closed).finally(() => this.#awaited.delete(awaited!));
  }

  close(): void {
    this.#stop?.();
    this.#listeners.clear();
    this.#nodeListeners.clear();
    this.#closing.abort();
  }

  #coordinator(): Location {
    if (!this.lease?.record.endpoint) return { ...unknownLocation, state: "waiting" };
    const { endpoint, term } = this.lease.record;
    return { state: "running", endpoint: endpoint as EndpointId, epoch: term, failure: undefined };
  }

  #apply(entry: Entry): void {
    const { key, value, revision, deleted } = entry;
    const dot = key.indexOf(".");
    const kind = key.slice(0, dot);
    const id = key.slice(dot + 1);
    if (kind === "actor") {
      if (deleted) this.actors.delete(id as ActorId);
      else if (!this.#isOld(id as ActorId, value, revision)) this.actors.set(id as ActorId, new Known(value, revision));
      this.#tell(id as ActorId);
    } else if (kind === "node") {
      if (deleted) this.nodes.delete(id);
      else this.nodes.set(id, { record: actors.v1.NodeRecord.decode(value), revision });
      for (const tell of this.#nodeListeners) tell(id);
      this.#tell(`$agent.${id}` as ActorId);
    } else if (kind === "name") {
      if (deleted) this.names.delete(id);
      else this.names.set(id, new TextDecoder().decode(value) as ActorId);
    } else if (kind === "lease") {
      const before = this.lease?.record;
      const record = deleted ? undefined : actors.v1.Lease.decode(value);
      this.lease = record && { record, revision, seenAt: performance.now() };
      if (before?.endpoint !== record?.endpoint || before?.term !== record?.term) this.#tell(coordinatorId);
    }
    this.#revision = Math.max(this.#revision, revision);
    for (const each of this.#awaited) if (each.revision <= this.#revision) each.reached();
  }

  /** Also what came before an answer that was quicker than the watch: the steps to where that says the actor is. */
  #isOld(id: ActorId, value: Uint8Array, revision: number): boolean {
    const known = this.actors.get(id);
    if (!known) return false;
    if (known.revision >= revision) return true;
    if (!known.isHint) return false;
    const { record } = known;
    const told = actors.v1.ActorRecord.decode(value);
    return told.epoch <= record.epoch && hasStarted(record) && !hasStarted(told) && !hasEnded(told);
  }

  #tell(id: ActorId): void {
    for (const tell of this.#listeners) tell(id);
  }
}

export function locate(record: ActorRecord): Location {
  const last = record.failure ? fromFailure(record.failure) : undefined;
  switch (record.state) {
    case ActorState.RUNNING:
      return located(record, "running", last);
    case ActorState.STOPPED:
      return located(record, "gone", new ActorsError("ACTOR_STOPPED", `actor ${label(record)} was stopped`));
    case ActorState.FAILED: {
      const failed = new ActorsError("ACTOR_STOPPED", `actor ${label(record)} failed for good`, {
        cause: last,
        details: { crashes: crashesOf(record) },
        hint: "`actors logs` shows its last lines.",
      });
      return located(record, "gone", failed);
    }
    default:
      return located(record, record.rested > 0 ? "passive" : "waiting", last);
  }
}

/** A plain literal: every call looks at one, and a spread gives each a shape of its own, at 300 bytes and a slow look. */
function located(
  { endpoint, epoch, rested }: ActorRecord,
  state: Location["state"],
  failure: ActorsError | undefined,
): Location {
  return { state, endpoint: endpoint as EndpointId, epoch, rested, failure };
}

/** Never to run again. */
export const hasEnded = ({ state }: Pick<ActorRecord, "state">) =>
  state === ActorState.STOPPED || state === ActorState.FAILED;

/** Answers calls, or is woken by one. */
export const hasStarted = ({ state }: Pick<ActorRecord, "state">) =>
  state === ActorState.RUNNING || state === ActorState.PASSIVE;

export const crashesOf = (record: ActorRecord): Crash[] =>
  record.crashes.map(({ at, epoch, node, error }) => ({
    at: at ?? 0,
    epoch: epoch ?? 0,
    node: node ?? "",
    error: error ?? "",
  }));

/** `def(id)`, or `name(id)` for a named actor: what people read in messages. */
export const label = (record: { name: string; def: string; id: string }) =>
  `${record.name || record.def}(${record.id})`;
