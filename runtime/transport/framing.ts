// How batches travel over a stream of bytes.
import { actors } from "#protos";
import type { EndpointId } from "../core/ids.js";

const headerBytes = 4;

/** One message as it goes over a stream: its length (uint32, little-endian), then its bytes. */
export function framed(message: Uint8Array): Buffer {
  // One buffer, so one write: a second system call costs more than the copy of a batch.
  const bytes = Buffer.allocUnsafe(headerBytes + message.length);
  bytes.writeUInt32LE(message.length, 0);
  bytes.set(message, headerBytes);
  return bytes;
}

/**
 * Cuts a stream of bytes into messages, which are views into the chunks.
 * @returns a listener for "data"; `tooLarge` is told instead of the message that claims to be over the limit, and
 * nothing after it
 */
export function messageReader(
  maxBytes: number,
  received: (message: Buffer) => void,
  tooLarge: (bytes: number) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = []; // of a message that has not come whole
  let have = 0;
  let need = headerBytes;
  return (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    if (have < need) return;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, have);
    let at = 0;
    for (;;) {
      need = headerBytes;
      if (have - at < need) break;
      const length = bytes.readUInt32LE(at);
      if (length > maxBytes) {
        need = Number.POSITIVE_INFINITY;
        return tooLarge(length);
      }
      need += length;
      if (have - at < need) break;
      received(bytes.subarray(at + headerBytes, at + need));
      at += need;
    }
    parts = at < have ? [at > 0 ? bytes.subarray(at) : bytes] : [];
    have -= at;
  };
}

/** The first words over a direct link, said on the old way too: what follows from `from` comes over that link. */
export interface Hello {
  from: EndpointId;
  link: string;
}

export function encodeHello(hello: Hello): Uint8Array {
  return actors.v1.Batch.encode(hello).finish();
}

// A hello begins with field 1, other batches with field 2, the frames: which it is can be told without decoding it.
export function readHello(batch: Uint8Array): Hello | undefined {
  if (batch[0] !== 0x0a) return undefined;
  try {
    const { from, link } = actors.v1.Batch.decode(batch);
    return link === "" ? undefined : { from: from as EndpointId, link };
  } catch {
    return undefined;
  }
}
