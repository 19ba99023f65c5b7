import type { TraceCall, TraceLook } from "../cluster/traces.js";
import { join } from "../join.js";
import { columns, plain, took } from "./text.js";
import { UsageError } from "./usage.js";

/** @param trace its id or traceparent, or how the id begins; empty: all */
export async function traces(trace: string): Promise<TraceLook[]> {
  const id = trace.startsWith("00-") ? trace.slice(3).split("-")[0]! : trace;
  if (!/^[0-9a-f]{0,32}$/.test(id)) {
    throw new UsageError(`${JSON.stringify(trace)} is no trace`, {
      hint: "A trace has an id of 32 hexadecimal digits; `actors trace` lists those with calls in flight.",
    });
  }
  await using system = await join({ required: true });
  return await system.introspection().traces(id); // before the system ends
}

export function renderTraces(all: readonly TraceLook[]): string {
  if (all.length === 0) {
    return "no traced call is in flight\nBegin a trace with `a.f.with({ trace: true })(x)`, or run a program with ACTORS_TRACE=1: it traces every call.\n";
  }
  const blocks = all.map(({ id, calls }) => {
    const rows = calls.flatMap((call) => [...callRows(call, "", "")]);
    return [`trace ${id}`, ...columns(rows)].map(plain).join("\n");
  });
  return `${blocks.join("\n\n")}\n`;
}

/** Each call under the one whose handler made it. */
function* callRows(call: TraceCall, first: string, rest: string): Generator<string[]> {
  const from = call.from !== null && first === "" ? `, called by ${call.from}` : "";
  yield [`${first}${call.method} on ${call.actor}`, took(call.ageMs), call.state + from];
  for (const [i, each] of call.calls.entries()) {
    const last = i === call.calls.length - 1;
    yield* callRows(each, `${rest}${last ? "└ " : "├ "}`, `${rest}${last ? "  " : "│ "}`);
  }
}
