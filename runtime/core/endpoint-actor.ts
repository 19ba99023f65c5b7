import { threadId } from "node:worker_threads";
import { Cell, type CellDetail, type CellReport } from "./cell.js";
import { defineActor } from "./definition.js";
import type { Endpoint } from "./endpoint.js";
import { type Caller, type Handle, reviveHandle } from "./handle.js";
import { type ActorId, type EndpointId, endpointActorId } from "./ids.js";

const probeMs = 10;

/** The process or thread behind an endpoint. */
export interface EndpointReport {
  endpoint: string;
  pid: number;
  /** 0: the main thread. */
  thread: number;
  /** How late a timer fired just now. */
  lagMs: number;
  /** Of the event loop, since it started: working, and waiting for work. */
  busyMs: number;
  idleMs: number;
  rssBytes: number;
  /** Batches that could not be decoded. */
  malformed: number;
  /** Times its link came back after a loss. */
  reconnects: number;
}

/** Built into every endpoint, so whatever hosts actors can be asked about them. It answers from the loop it tells of. */
class EndpointActor {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** @returns undefined for `cell` when the actor does not live here */
  async inspect(id: string): Promise<{ at: EndpointReport; cell: CellDetail | undefined }> {
    const at = await this.#report();
    return { at, cell: this.#endpoint.server.cells.get(id as ActorId)?.detail() };
  }

  /** All actors that live here. */
  async report(): Promise<{ at: EndpointReport; cells: CellReport[] }> {
    const at = await this.#report();
    const cells = [...this.#endpoint.server.cells.values()].filter(({ id }) => !id.startsWith("$"));
    return { at, cells: cells.map((cell) => cell.report()) };
  }

  async #report(): Promise<EndpointReport> {
    const due = performance.now() + probeMs;
    await new Promise((resolve) => setTimeout(resolve, probeMs));
    const lagMs = Math.max(0, performance.now() - due);
    const { active: busyMs, idle: idleMs } = performance.eventLoopUtilization();
    const { id: endpoint, malformed, reconnects } = this.#endpoint;
    const rssBytes = process.memoryUsage.rss();
    return { endpoint, pid: process.pid, thread: threadId, lagMs, busyMs, idleMs, rssBytes, malformed, reconnects };
  }
}

const def = defineActor({
  name: "$endpoint",
  module: import.meta.url,
  class: EndpointActor,
  shared: ["inspect", "report"],
  idempotent: ["inspect", "report"],
});

export function hostEndpointActor(endpoint: Endpoint): void {
  const at = { id: endpointActorId(endpoint.id), epoch: 0, def: def as never };
  endpoint.server.host(new Cell(at, new EndpointActor(endpoint), () => {}));
}

export function endpointHandle(caller: Caller, endpoint: EndpointId): Handle<EndpointActor> {
  return reviveHandle(caller, {
    id: endpointActorId(endpoint),
    def: def.name,
    methods: [],
  }) as unknown as Handle<EndpointActor>;
}
