import type { Endpoint } from "./endpoint.js";

/** A call in flight, as the endpoint that made it knows it. */
export interface TracedOut {
  /** Its traceparent, and that of the call whose handler made it. */
  trace: string;
  parent: string | null;
  actor: string;
  method: string;
  ageMs: number;
  /** `held`: the mailbox is full; `unplaced`: the actor runs nowhere now. */
  state: "sent" | "held" | "unplaced";
}

/** The same, as the endpoint knows it that hosts the actor. */
export interface TracedIn {
  trace: string;
  actor: string;
  method: string;
  from: string;
  ageMs: number;
  /** Calls that run before it; null when it runs itself. */
  before: number | null;
  /** Of those that wait: what the actor runs now, and for how long. */
  behind: { method: string; ageMs: number } | null;
}

export interface Traced {
  out: TracedOut[];
  in: TracedIn[];
}

/** @param prefix of the trace's id; empty: of any trace */
export function tracedCalls({ calls, server }: Endpoint, prefix: string): Traced {
  const now = performance.now();
  const age = (since: number) => Math.round(now - since);
  const belongs = (trace: string | undefined): trace is string => trace?.startsWith(`00-${prefix}`) === true;
  const found: Traced = { out: [], in: [] };
  for (const { trace, parentTrace, actor, method, madeAt, hold, sentTo } of calls.pending) {
    if (!belongs(trace)) continue;
    const state = hold ? "held" : sentTo === undefined ? "unplaced" : "sent";
    found.out.push({ trace, parent: parentTrace ?? null, actor, method: method.name, ageMs: age(madeAt), state });
  }
  for (const cell of server.cells.values()) {
    const running = [...cell.inFlight];
    for (const { trace, method, from, cameAt } of running) {
      const at = { actor: cell.id, method, from, ageMs: age(cameAt) };
      if (belongs(trace)) found.in.push({ trace, ...at, before: null, behind: null });
    }
    for (const [shared, queue] of cell.waiting.entries()) {
      const ahead = running.find(({ method }) => cell.def.methods.get(method)?.shared === (shared === 1));
      const behind = ahead ? { method: ahead.method, ageMs: age(ahead.cameAt) } : null;
      let before = 0;
      for (const { trace, method, from, cameAt } of queue) {
        const at = { actor: cell.id, method, from, ageMs: age(cameAt) };
        if (belongs(trace)) found.in.push({ trace, ...at, before, behind });
        before++;
      }
    }
  }
  return found;
}
