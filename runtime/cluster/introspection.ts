import { actors } from "#protos";
import type { CellDetail } from "../core/cell-report.js";
import { askAll, type EndpointReport, endpointHandle, type HostReport } from "../core/endpoint-actor.js";
import { ActorsError, fromFailure, isActorsError } from "../core/errors.js";
import { type ActorId, type EndpointId, isActorId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import type { Traced } from "../core/traced.js";
import { pause } from "../core/wait.js";
import { type ActorRecord, ActorState, type Directory, label, NodeState } from "../directory/directory.js";
import { type HeldObject, type Holding, objectsHandle } from "../objects/control.js";
import { amounts } from "./loads.js";
import { clientTopic, heartbeatMs, heartbeatTopic } from "./protocol.js";
import { assembleTraces, type TraceLook } from "./traces.js";

const answerMs = 1_500;
const profileMs = 15_000; // a busy thread takes its time to begin and to end
const allAnswerMs = 900; // less than the second between two looks

export const noAnswer = "its process does not answer: it is stopped or its event loop is blocked";

/** An actor as its record tells, and as its own process does. */
export interface ActorLook {
  /** What it holds of its node, by resource; only what it asked for. */
  needs: Record<string, number>;
  /** Node id or slot it was wished to; empty: any. */
  wantNode: string;
  /** Who owns it: an actor's label, or a client's endpoint; empty for a detached one. */
  ownedBy: string;
  module: string;
  lastFailure: { code: string; message: string; hint: string } | null;
  live: CellDetail | null;
  process: EndpointReport | null;
  /** Why there is nothing live; null when there is. */
  note: string | null;
}

/** What all processes and threads of a cluster tell of themselves. */
export interface HostSample {
  /** When they were asked, on `performance.now()`'s clock. */
  at: number;
  /** `report` is undefined where none came in time; `agent` marks a node's own. */
  hosts: { node: string; agent: boolean; report: HostReport | undefined }[];
}

export interface ObjectLook extends HeldObject {
  /** The owner as people know it. */
  ownedBy: string;
  /** Of the owner; the node is empty for a client. */
  node: string;
  pid: number;
  /** Processes that have it mapped. */
  readers: { node: string; pid: number }[];
}

export interface ObjectsLook {
  objects: ObjectLook[];
  /** Who did not answer in time: what they own is missing. */
  silent: string[];
}

/** For people and tools: looks at a cluster and changes nothing in it. Every question has a deadline below two seconds. */
export class Introspection {
  readonly #runtime: Runtime;
  readonly #directory: Directory;

  constructor(runtime: Runtime & { directory: Directory }) {
    this.#runtime = runtime;
    this.#directory = runtime.directory;
  }

  /** @throws ActorsError NOT_FOUND */
  async actor(id: string): Promise<ActorLook> {
    const record = this.#directory.actors.get(id as ActorId)?.record;
    if (!record) throw new ActorsError("NOT_FOUND", `there is no actor ${id}`, { hint: "`actors ps` lists them." });
    return {
      needs: needsOf(record),
      wantNode: record.wantNode,
      ownedBy: this.#nameOf(record.parent),
      module: record.module,
      lastFailure: record.failure ? failureOf(record.failure) : null,
      ...(await this.#ask(record)),
    };
  }

  /** The traced calls in flight, of traces whose id begins so. */
  async traces(prefix = ""): Promise<TraceLook[]> {
    const { calls, id: own } = this.#runtime.endpoint;
    const answers = await Promise.all(
      [...this.#endpoints().keys(), own].map(async (id): Promise<[EndpointId, Traced | undefined]> => {
        const { traced } = endpointHandle(calls, id);
        return [
          id,
          await traced
            .with({ timeoutMs: allAnswerMs })(prefix)
            .catch(() => undefined),
        ];
      }),
    );
    return assembleTraces(new Map(answers), {
      nameOf: (id) => this.#nameOf(id),
      placeOf: (actor) => {
        const record = this.#directory.actors.get(actor as ActorId)?.record;
        if (record?.state !== ActorState.RUNNING) return undefined;
        return { endpoint: record.endpoint as EndpointId, node: record.node, pid: record.pid };
      },
      stateOf: (actor) => {
        const record = this.#directory.actors.get(actor as ActorId)?.record;
        return record ? stateOf(record) : "not known here";
      },
    });
  }

  /**
   * Samples the thread that an actor lives in; an inline one shares it with others.
   * @returns pieces of a `.cpuprofile`, which speedscope and browsers open
   * @throws ActorsError NOT_FOUND, UNAVAILABLE when it does not run
   */
  profile(id: string, ms: number, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const record = this.#directory.actors.get(id as ActorId)?.record;
    if (!record) throw new ActorsError("NOT_FOUND", `there is no actor ${id}`, { hint: "`actors ps` lists them." });
    if (record.state !== ActorState.RUNNING)
      throw new ActorsError("UNAVAILABLE", `${label(record)} is ${stateOf(record)}`);
    const { profile } = endpointHandle(this.#runtime.endpoint.calls, record.endpoint as EndpointId);
    return profile.with({ signal, timeoutMs: ms + profileMs })(ms);
  }

  /** Of the nodes and actors that run now. */
  async hosts(): Promise<HostSample> {
    const nodes = this.#endpoints();
    const at = performance.now();
    const answers = await askAll(this.#runtime.endpoint.calls, nodes.keys(), allAnswerMs);
    const hosts = [...nodes].map(([endpoint, host]) => ({ ...host, report: answers.get(endpoint) }));
    return { at, hosts };
  }

  #endpoints(): Map<EndpointId, { node: string; agent: boolean }> {
    const nodes = new Map<EndpointId, { node: string; agent: boolean }>();
    for (const { record } of this.#directory.nodes.values()) {
      if (record.state !== NodeState.NODE_DEAD)
        nodes.set(record.endpoint as EndpointId, { node: record.id, agent: true });
    }
    for (const { record } of this.#directory.actors.values()) {
      const endpoint = record.endpoint as EndpointId;
      if (record.state === ActorState.RUNNING && !nodes.has(endpoint))
        nodes.set(endpoint, { node: record.node, agent: false });
    }
    return nodes;
  }

  /** Objects and who has them, the newest last. Asks nodes, actors and clients, whose heartbeats tell of them. */
  async objects(): Promise<ObjectsLook> {
    const { bus, endpoint } = this.#runtime;
    const endpoints = new Set([endpoint.id, ...this.#endpoints().keys()]);
    const hear = (bytes: Uint8Array) => endpoints.add(actors.v1.Heartbeat.decode(bytes).endpoint as EndpointId);
    const unsubscribe = [heartbeatTopic, clientTopic].map((topic) => bus.subscribe(topic, hear));
    await pause(heartbeatMs * 1.5);
    for (const stop of unsubscribe) stop();
    const silent: string[] = [];
    const holdings: Holding[] = [];
    await Promise.all(
      [...endpoints].map(async (id) => {
        const list = objectsHandle(endpoint.calls, id).list.with({ timeoutMs: allAnswerMs });
        const holding = await list().catch(() => silent.push(this.#nameOf(id)));
        if (typeof holding === "object") holdings.push(holding);
      }),
    );
    const at = ({ node, pid }: Holding) => ({ node, pid });
    const objects = holdings.flatMap((holding) =>
      holding.own.map((object) => ({
        ...object,
        ownedBy: this.#nameOf(object.owner),
        ...at(holding),
        readers: holdings.filter(({ mapped }) => mapped.includes(object.id)).map(at),
      })),
    );
    return { objects: objects.sort((a, b) => a.createdAt - b.createdAt), silent };
  }

  async #ask(record: ActorRecord): Promise<Pick<ActorLook, "live" | "process" | "note">> {
    const none = { live: null, process: null };
    if (record.state !== ActorState.RUNNING) return { ...none, note: `it is ${stateOf(record)}` };
    try {
      const endpoint = endpointHandle(this.#runtime.endpoint.calls, record.endpoint as EndpointId);
      const { at, cell } = await endpoint.inspect.with({ timeoutMs: answerMs })(record.id);
      if (!cell) return { live: null, process: at, note: "its process no longer hosts it: it has just ended or moved" };
      const running = cell.running.map((call) => ({ ...call, from: this.#nameOf(call.from) }));
      return { live: { ...cell, running }, process: at, note: null };
    } catch (error) {
      if (isActorsError(error, "DEADLINE_EXCEEDED")) return { ...none, note: noAnswer };
      throw error;
    }
  }

  /** An endpoint's or actor's id as people know it. */
  #nameOf(id: string): string {
    const known = this.#directory.actors.get(id as ActorId);
    if (known) return label(known.record);
    for (const { record } of this.#directory.nodes.values()) if (record.endpoint === id) return `node ${record.id}`;
    for (const { record } of this.#directory.actors.values()) {
      if (record.endpoint === id && record.state === ActorState.RUNNING) return label(record);
    }
    return id === "" || isActorId(id) ? id : `client ${id}`;
  }
}

function needsOf({ needs }: ActorRecord): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts(needs ?? {})).filter(([, n]) => n > 0));
}

function failureOf(failure: actors.v1.Failure.$Properties): ActorLook["lastFailure"] {
  const { code, rawMessage, hint } = fromFailure(failure);
  return { code, message: rawMessage, hint: hint ?? "" };
}

const stateOf = (record: ActorRecord) => ActorState[record.state]!.toLowerCase();
