import type { MethodSpec } from "./definition.js";
import type { EndpointId } from "./ids.js";
import type { Credit } from "./stream.js";

/** One call that reached its actor. */
export interface Incoming {
  readonly from: EndpointId;
  /** On `performance.now()`'s clock. */
  readonly cameAt: number;
  readonly method: string;
  readonly deadline: number;
  readonly credit: Credit | undefined;
  readonly cancelled: boolean;
  /** Its sender takes it back when the mailbox is full. */
  readonly waits: boolean;
  /** No one hears how it ends. */
  readonly oneWay: boolean;
  /** W3C traceparent of a traced call. */
  readonly trace: string | undefined;
  /** Made when first asked for: most handlers never do. */
  signal(): AbortSignal;
  args(method: MethodSpec): unknown[];
  reply(method: MethodSpec, value: unknown): void;
  item(method: MethodSpec, value: unknown): void;
  fail(error: unknown): void;
  /** Aborts its signal; no one waits for its end. */
  cancel(): void;
  /** It never runs, and no one hears of it. */
  drop(): void;
}
