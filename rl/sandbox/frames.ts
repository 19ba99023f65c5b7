const head = 4;

/** Cuts a stream into frames: a little-endian u32 length, then that many bytes. Each byte is copied once at most. */
export class FrameReader {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** The frames this chunk completes. @throws RangeError for one longer than allowed; the stream is useless then */
  push(chunk: Buffer): Uint8Array[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Uint8Array[] = [];
    while (this.#bytes >= head) {
      const size = this.#size();
      if (size > this.#max) throw new RangeError(`a frame of ${size} bytes, at most ${this.#max} are allowed`);
      if (this.#bytes < head + size) break;
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      frames.push(all.subarray(head, head + size));
      const rest = all.subarray(head + size);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
    }
    return frames;
  }

  #size(): number {
    const first = this.#chunks[0]!;
    if (first.length >= head) return first.readUInt32LE(0);
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!.readUInt32LE(0);
  }
}

export function frame(message: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(head + message.length);
  out.writeUInt32LE(message.length);
  out.set(message, head);
  return out;
}
