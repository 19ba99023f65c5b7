import type { EndpointId } from "../core/ids.js";
import type { Traced, TracedIn, TracedOut } from "../core/traced.js";

/** A call in flight of a trace, with those that its handler made and waits for. */
export interface TraceCall {
  /** W3C traceparent. */
  trace: string;
  actor: string;
  method: string;
  /** Who called; null where only the calling side knows of the call. */
  from: string | null;
  /** Since the caller made it, or, where the caller was not asked, since it came. */
  ageMs: number;
  /** Where it is, in words. */
  state: string;
  calls: TraceCall[];
}

export interface TraceLook {
  /** 32 hexadecimal digits. */
  id: string;
  calls: TraceCall[];
}

/** How the cluster's records name what endpoints speak of. */
export interface Names {
  nameOf(id: string): string;
  /** The actor's endpoint and node; undefined when it runs nowhere. */
  placeOf(actor: string): { endpoint: EndpointId; node: string; pid: number } | undefined;
  stateOf(actor: string): string;
}

/** Puts together what each endpoint knows of the calls in flight. @param answers undefined where an endpoint gave none */
export function assembleTraces(answers: ReadonlyMap<EndpointId, Traced | undefined>, names: Names): TraceLook[] {
  const sides = new Map<string, { out?: TracedOut; in?: TracedIn }>();
  const sidesOf = (trace: string) => {
    const known = sides.get(trace) ?? {};
    sides.set(trace, known);
    return known;
  };
  for (const answer of answers.values()) {
    for (const each of answer?.out ?? []) sidesOf(each.trace).out = each;
    for (const each of answer?.in ?? []) sidesOf(each.trace).in = each;
  }
  const isSilent = (endpoint: EndpointId) => answers.has(endpoint) && answers.get(endpoint) === undefined;
  const calls = new Map<string, TraceCall>();
  for (const [trace, side] of sides) {
    const { actor, method } = (side.out ?? side.in)!;
    const ageMs = Math.max(side.out?.ageMs ?? 0, side.in?.ageMs ?? 0);
    const from = side.in ? names.nameOf(side.in.from) : null;
    const state = stateOf(side, names, isSilent);
    calls.set(trace, { trace, actor: names.nameOf(actor), method, from, ageMs, state, calls: [] });
  }
  const roots = new Map<string, TraceCall[]>();
  for (const [trace, call] of calls) {
    const parent = calls.get(sides.get(trace)!.out?.parent ?? "");
    const id = trace.split("-")[1]!;
    if (parent) parent.calls.push(call);
    else roots.set(id, [...(roots.get(id) ?? []), call]);
  }
  const oldestFirst = (list: TraceCall[]) => {
    list.sort((a, b) => b.ageMs - a.ageMs);
    for (const each of list) oldestFirst(each.calls);
    return list;
  };
  const traces = [...roots].map(([id, list]) => ({ id, calls: oldestFirst(list) }));
  return traces.sort((a, b) => b.calls[0]!.ageMs - a.calls[0]!.ageMs);
}

function stateOf(
  side: { out?: TracedOut; in?: TracedIn },
  names: Names,
  isSilent: (endpoint: EndpointId) => boolean,
): string {
  const at = names.placeOf((side.out ?? side.in)!.actor);
  if (side.in) {
    const { before, behind } = side.in;
    if (before === null) return at ? `runs on ${at.node}, process ${at.pid}` : "runs";
    const running = behind ? `, and ${behind.method} has run for ${seconds(behind.ageMs)}` : "";
    return `waits in the mailbox: ${before} before it${running}`;
  }
  if (side.out!.state === "held") return "is held back: the mailbox is full";
  if (side.out!.state === "unplaced" || !at) return `waits: the actor is ${names.stateOf(side.out!.actor)}`;
  if (isSilent(at.endpoint)) return `was sent to ${at.node}, process ${at.pid}, which does not answer`;
  return "is on the way, or its answer is";
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
