import type { CallError } from "./meter.js";

/** A cell in numbers. */
export interface CellReport {
  id: string;
  def: string;
  /** Calls that wait, and how many may: of exclusive methods, and as many of shared ones. */
  depth: number;
  limit: number;
  /** Callers that hold calls back until there is room. */
  callersHeld: number;
  /** Handlers that run or wait for something now. */
  inFlight: number;
  /** Since this incarnation started: ended handlers, those of them that threw, calls that reached no handler. */
  handled: number;
  failed: number;
  refused: number;
  /** Time that all of them ran, streams left out. */
  busyMs: number;
  /** Of the last calls; null before the first. */
  medianMs: number | null;
}

export interface CellDetail extends CellReport {
  /** The oldest handlers in flight, at most 100. `leftMs` to the caller's deadline: null when it has none. */
  running: { method: string; from: string; ageMs: number; leftMs: number | null }[];
  /** Waiting calls by method. */
  queued: Record<string, number>;
  errors: CallError[];
}
