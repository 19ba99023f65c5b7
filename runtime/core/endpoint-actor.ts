import { threadId } from "node:worker_threads";
import { Cell } from "./cell.js";
import type { CellDetail, CellReport } from "./cell-report.js";
import { type ActorDef, defineActor } from "./definition.js";
import type { Endpoint, Traffic } from "./endpoint.js";
import { type Caller, type Handle, makeHandle } from "./handle.js";
import { type ActorId, type EndpointId, endpointActorId } from "./ids.js";
import type { MethodReport } from "./tallies.js";
import { type Traced, tracedCalls } from "./traced.js";

const probeMs = 10;

/** The process or thread behind an endpoint. */
export interface EndpointReport {
  endpoint: string;
  pid: number;
  /** 0: the main thread. */
  thread: number;
  /** How late a timer fired just now. */
  lagMs: number;
  rssBytes: number;
  /** Of the whole process, since it started. */
  cpuMs: number;
  /** Calls that were made from here and have no answer yet. */
  outgoing: number;
  traffic: Traffic;
}

/** All that an endpoint counts. */
export interface HostReport {
  at: EndpointReport;
  /** The actors that live here. */
  cells: CellReport[];
  /** Also of actors that have ended. */
  methods: MethodReport[];
}

/** Built into every endpoint, so whatever hosts actors can be asked about them. It answers from the loop it tells of. */
class EndpointActor {
  readonly #endpoint: Endpoint;
  /** Of the call whose handler begins. */
  readonly #signal: () => AbortSignal;

  constructor(endpoint: Endpoint, signal: () => AbortSignal) {
    this.#endpoint = endpoint;
    this.#signal = signal;
  }

  /** @returns undefined for `cell` when the actor does not live here */
  async inspect(id: string): Promise<{ at: EndpointReport; cell: CellDetail | undefined }> {
    const at = await this.#report();
    return { at, cell: this.#endpoint.server.cells.get(id as ActorId)?.detail() };
  }

  async report(): Promise<HostReport> {
    const at = await this.#report();
    const { cells, tallies } = this.#endpoint.server;
    const own = [...cells.values()].filter(({ id }) => !id.startsWith("$"));
    return { at, cells: own.map((cell) => cell.report()), methods: tallies.report() };
  }

  alive() {
    return true;
  }

  /** The items of a stream that went with a call from here as an argument. */
  async *read(id: number): AsyncGenerator<unknown, void, undefined> {
    yield* this.#endpoint.calls.sources.read(id);
  }

  /** The calls in flight of traces whose id begins so. */
  traced(prefix: string): Traced {
    return tracedCalls(this.#endpoint, prefix);
  }

  /** Pieces of a `.cpuprofile` of the thread that hosts it. */
  async *profile(ms: number): AsyncGenerator<string, void, undefined> {
    const signal = this.#signal(); // before the first await
    const { cpuProfile } = await import("./profiler.js");
    yield* cpuProfile(ms, signal);
  }

  async #report(): Promise<EndpointReport> {
    const due = performance.now() + probeMs;
    await new Promise((resolve) => setTimeout(resolve, probeMs));
    const lagMs = Math.max(0, performance.now() - due);
    const { user, system } = process.cpuUsage();
    const { id: endpoint, calls, traffic } = this.#endpoint;
    return {
      endpoint,
      pid: process.pid,
      thread: threadId,
      lagMs,
      rssBytes: process.memoryUsage.rss(),
      cpuMs: (user + system) / 1000,
      outgoing: calls.inFlight,
      traffic,
    };
  }
}

const def = defineActor({
  name: "$endpoint",
  module: import.meta.url,
  class: EndpointActor,
  shared: ["inspect", "report", "alive", "traced"],
  idempotent: ["inspect", "report", "alive", "traced"],
  concurrency: Number.POSITIVE_INFINITY,
});

export function hostEndpointActor(endpoint: Endpoint): void {
  const at = { id: endpointActorId(endpoint.id), epoch: 0, def: def as never };
  const cell: Cell = new Cell(at, new EndpointActor(endpoint, () => cell.current.signal), () => {});
  endpoint.server.host(cell);
  const read = def.methods.get("read")!;
  endpoint.calls.sources.onCut = (id) => {
    for (const call of cell.inFlight) if (call.method === read.name && call.args(read)[0] === id) call.cancel();
  };
}

export function endpointHandle(caller: Caller, endpoint: EndpointId): Handle<EndpointActor> {
  return makeHandle(caller, endpointActorId(endpoint), def as ActorDef<EndpointActor, never>);
}

/** Asks them all at once. Whoever does not answer in time, or is gone, is left out. */
export async function askAll(
  caller: Caller,
  endpoints: Iterable<EndpointId>,
  timeoutMs: number,
): Promise<Map<EndpointId, HostReport>> {
  const answers = await Promise.all(
    [...endpoints].map(async (id): Promise<[EndpointId, HostReport] | undefined> => {
      const answer = await endpointHandle(caller, id)
        .report.with({ timeoutMs })()
        .catch(() => undefined);
      return answer && [id, answer];
    }),
  );
  return new Map(answers.filter((answer) => answer !== undefined));
}
