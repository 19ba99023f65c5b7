import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import protobuf from "protobufjs/minimal.js";
import { type Histogram, measures } from "./histogram.js";
import type { MetricsSink } from "./sinks.js";

/** Files of events, as TensorBoard and W&B read them: TFRecords of tensorflow.Event. */
export class TensorBoardSink implements MetricsSink {
  readonly #file: WriteStream;
  #failed = false;

  constructor(folder: string, line: (text: string) => void) {
    mkdirSync(folder, { recursive: true });
    const name = `events.out.tfevents.${Math.floor(Date.now() / 1000)}.${hostname()}.${process.pid}.0`;
    this.#file = createWriteStream(join(folder, name), { flags: "a" });
    this.#file.on("error", (error) => {
      if (!this.#failed) line(`the events for TensorBoard cannot be written: ${error.message}`);
      this.#failed = true;
    });
    this.#append(encodeVersion(Date.now()));
  }

  write(step: number, group: string, line: object): void {
    this.#append(encodeEvent(Date.now(), step, [...measures(line, group)]));
  }

  async close(): Promise<void> {
    this.#file.end();
    await finished(this.#file).catch(() => {}); // told by its error
  }

  #append(event: Uint8Array): void {
    if (!this.#failed) this.#file.write(record(event));
  }
}

// Fields of tensorflow/core/util/event.proto, framework/summary.proto and histogram.proto.
const double = (field: number) => (field << 3) | 1;
const varint = (field: number) => field << 3;
const bytes = (field: number) => (field << 3) | 2;
const float = (field: number) => (field << 3) | 5;

const encodeVersion = (unixMs: number) =>
  protobuf.Writer.create()
    .uint32(double(1))
    .double(unixMs / 1000)
    .uint32(bytes(3))
    .string("brain.Event:2")
    .finish();

export function encodeEvent(
  unixMs: number,
  step: number,
  values: readonly (readonly [tag: string, value: number | Histogram])[],
): Uint8Array {
  const writer = protobuf.Writer.create()
    .uint32(double(1))
    .double(unixMs / 1000)
    .uint32(varint(2))
    .int64(step);
  const summary = writer.uint32(bytes(5)).fork();
  for (const [tag, value] of values) {
    summary.uint32(bytes(1)).fork().uint32(bytes(1)).string(tag);
    if (typeof value === "number") summary.uint32(float(2)).float(value);
    else encodeHistogram(summary.uint32(bytes(5)).fork(), value).ldelim();
    summary.ldelim();
  }
  return summary.ldelim().finish();
}

function encodeHistogram(writer: protobuf.Writer, h: Histogram): protobuf.Writer {
  for (const [i, value] of [h.min, h.max, h.count, h.sum, h.squares].entries())
    writer.uint32(double(i + 1)).double(value);
  for (const [i, packed] of [h.limits, h.counts].entries()) {
    writer.uint32(bytes(6 + i)).fork();
    for (const value of packed) writer.double(value);
    writer.ldelim();
  }
  return writer;
}

/** TFRecord: length, its checksum, data, their checksum; little-endian. */
export function record(data: Uint8Array): Uint8Array {
  const out = Buffer.alloc(data.length + 16);
  out.writeBigUInt64LE(BigInt(data.length), 0);
  out.writeUInt32LE(maskedCrc(out.subarray(0, 8)), 8);
  out.set(data, 12);
  out.writeUInt32LE(maskedCrc(data), 12 + data.length);
  return out;
}

/** Rotated by 15 bits, plus a constant: a checksum of data that holds checksums is weak otherwise. */
function maskedCrc(data: Uint8Array): number {
  const crc = crc32c(data);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Castagnoli's polynomial, reflected. */
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  return c >>> 0;
});

export function crc32c(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = table[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
