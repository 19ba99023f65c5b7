import type { actors } from "#protos";
import type { Source } from "./codec.js";
import type { MethodSpec } from "./definition.js";
import type { Hold } from "./hold.js";
import type { ActorId, EndpointId } from "./ids.js";
import type { StreamReader } from "./stream.js";

/** A call in flight. It knows enough to be sent again. */
export interface Pending {
  readonly id: number;
  readonly actor: ActorId;
  readonly method: MethodSpec;
  readonly payload: Uint8Array;
  readonly codec: actors.v1.Codec;
  readonly deadline: number;
  readonly timeoutMs: number;
  /** On `performance.now()`'s clock. */
  readonly madeAt: number;
  readonly stream: StreamReader | undefined;
  readonly trace: string | undefined;
  /** Of the call whose handler made this one. */
  readonly parentTrace: string | undefined;
  /** Streams among its arguments. */
  readonly streams: readonly Source[];
  /** Lets go of arguments that lie in an object. */
  readonly release: (() => void) | undefined;
  resolve(value: unknown): void;
  reject(error: Error): void;
  /** Undefined while the actor has no place to send to, or its mailbox no room. */
  sentTo: EndpointId | undefined;
  /** Of a stream: its link was lost, and with it perhaps an item. */
  broken: boolean;
  /** Where it waits for room. */
  hold: Hold | undefined;
  /** It was answered, failed or given up. */
  over: boolean;
  epoch: number;
  /** The link to where it was sent was lost since, and with it perhaps its answer. */
  doubted: boolean;
  attempt: number;
  sentAt: number;
  unlisten: (() => void) | undefined;
}
