import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { ActorsError } from "./errors.js";

/** W3C `traceparent`: version, trace, span, flags. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;
const sampled = "01";

// Until the first traced call of a process it is off, and asking it costs a comparison.
const within = new AsyncLocalStorage<string | undefined>();

/** The traceparent of the call whose handler this code belongs to. */
export const currentTrace = () => within.getStore();

export const inTrace = <T>(trace: string | undefined, run: () => T): T => within.run(trace, run);

/**
 * The traceparent of a call that is made here: a new span of the trace that it belongs to, if any.
 * @param asked true begins a trace where there is none; a traceparent continues that one
 * @throws ActorsError INVALID_ARGUMENT when that is none
 */
export function traceOfCall(asked: boolean | string | undefined): string | undefined {
  const parent = typeof asked === "string" ? asked : within.getStore();
  if (parent === undefined) return asked ? `00-${hex(16)}-${hex(8)}-${sampled}` : undefined;
  const [, trace, flags] = traceparent.exec(parent) ?? [];
  if (trace) return `00-${trace}-${hex(8)}-${flags}`;
  throw new ActorsError("INVALID_ARGUMENT", `${JSON.stringify(parent)} is no traceparent`, {
    hint: "It looks like 00-<32 hexadecimal digits>-<16 of them>-01; `trace: true` makes one.",
  });
}

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
