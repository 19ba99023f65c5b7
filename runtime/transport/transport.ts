import type { EndpointId } from "../core/ids.js";

/**
 * Carries batches of frames between endpoints. At most once, in order for each pair, never blocking.
 * What is sent while not connected may be lost: the outbox holds its batches back until `connected`.
 */
export interface Transport {
  readonly connected: boolean;
  /** Most bytes one batch may have. */
  readonly maxBytes: number;
  send(to: EndpointId, batch: Uint8Array): void;
  /** The one receiver of this endpoint. The bytes are only valid during the call, unless they are copied. */
  onBatch(receive: (batch: Uint8Array) => void): void;
  onConnection(changed: (connected: boolean) => void): void;
  /** Sends what is queued, then lets go of the link. */
  close(): Promise<void>;
}
