import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import protobuf from "protobufjs";
import { histogram, measures } from "./histogram.js";
import { OtlpSink } from "./otlp.js";
import { openSinks } from "./sinks.js";
import { crc32c, record, TensorBoardSink } from "./tensorboard.js";

const folder = mkdtempSync(join(tmpdir(), "sinks-"));
after(() => rmSync(folder, { recursive: true }));

const line = { step: 3, reward: 0.5, seconds: { wait: 2 }, note: "text", gaps: histogram([1, 1, 2]), list: [1] };

/** The messages as TensorFlow's own files declare them. */
const { root } = protobuf.parse(`syntax = "proto3";
message Event { double wall_time = 1; int64 step = 2; oneof what { string file_version = 3; Summary summary = 5; } }
message Summary { repeated Value value = 1;
  message Value { string tag = 1; oneof value { float simple_value = 2; HistogramProto histo = 5; } } }
message HistogramProto { double min = 1; double max = 2; double num = 3; double sum = 4; double sum_squares = 5;
  repeated double bucket_limit = 6 [packed = true]; repeated double bucket = 7 [packed = true]; }`);

function readEvents(bytes: Buffer): Record<string, unknown>[] {
  const events = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    const data = bytes.subarray(at + 12, at + 12 + length);
    assert.deepEqual(bytes.subarray(at, at + 16 + length), Buffer.from(record(data)));
    events.push(root.lookupType("Event").toObject(root.lookupType("Event").decode(data), { longs: Number }));
    at += 16 + length;
  }
  return events;
}

test("CRC-32C and its mask are those of the standard", () => {
  assert.equal(crc32c(Buffer.from("123456789")), 0xe3069283); // RFC 3720's check value
  assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa); // its appendix B.4
  const framed = Buffer.from(record(new Uint8Array(0)));
  assert.equal(framed.readUInt32LE(12), 0xa282ead8); // of no bytes, whose checksum is 0
});

test("an event file holds its version, then numbers and histograms by step", async () => {
  const sink = new TensorBoardSink(join(folder, "tb"), assert.fail);
  sink.write(3, "train", line);
  await sink.close();
  const [name] = readdirSync(join(folder, "tb"));
  assert.match(name!, /^events\.out\.tfevents\.\d{10}\./);
  const [version, event] = readEvents(readFileSync(join(folder, "tb", name!)));
  assert.equal(version!["fileVersion"], "brain.Event:2");
  assert.equal(event!["step"], 3);
  assert.deepEqual((event!["summary"] as { value: unknown }).value, [
    { tag: "train/step", simpleValue: 3 },
    { tag: "train/reward", simpleValue: 0.5 },
    { tag: "train/seconds/wait", simpleValue: 2 },
    {
      tag: "train/gaps",
      histo: { min: 1, max: 2, num: 3, sum: 4, sumSquares: 6, bucketLimit: [1, 2], bucket: [2, 1] },
    },
  ]);
});

test("events that cannot be written are told once and hold nothing up", async () => {
  const told: string[] = [];
  const sink = new TensorBoardSink(join(folder, "gone"), (text) => told.push(text));
  rmSync(join(folder, "gone"), { recursive: true });
  for (let step = 0; step < 3; step++) sink.write(step, "train", line);
  await sink.close();
  assert.equal(told.length, 1);
});

test("a collector gets OTLP, and one that refuses, or is not there, is told of once", async () => {
  const got: { url: string; key: unknown; body: Record<string, unknown> }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      got.push({
        url: request.url!,
        key: request.headers["api-key"],
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
      response.writeHead(status).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = (server.address() as AddressInfo).port;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`, OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b" };
  const told: string[] = [];
  const tell = (text: string) => told.push(text);
  const sink = OtlpSink.fromEnvironment(env, "run-1", tell);
  sink.write(3, "train", { ...line, bad: Number.NaN });
  await sink.close();
  assert.deepEqual([got[0]!.url, got[0]!.key], ["/v1/metrics", "a b"]);
  const [resource] = got[0]!.body["resourceMetrics"] as { scopeMetrics: { metrics: { name: string }[] }[] }[];
  const metrics = resource!.scopeMetrics[0]!.metrics;
  assert.deepEqual(
    metrics.map(({ name }) => name),
    ["step", "reward", "seconds.wait", "gaps"].map((name) => `actors.train.${name}`),
  );
  const { dataPoints } = (metrics[3] as unknown as { histogram: { dataPoints: Record<string, unknown>[] } }).histogram;
  const { count, explicitBounds, bucketCounts, attributes } = dataPoints[0]!;
  assert.deepEqual([count, explicitBounds, bucketCounts], ["3", [1], ["2", "1"]]);
  assert.deepEqual(attributes, [{ key: "step", value: { intValue: "3" } }]);
  status = 503;
  for (let step = 4; step < 7; step++) sink.write(step, "train", line);
  await sink.close();
  assert.deepEqual(told, [
    `metrics do not reach http://127.0.0.1:${port}/v1/metrics: it answers 503; the training goes on`,
  ]);
  await new Promise((resolve) => server.close(resolve));
  const lost = OtlpSink.fromEnvironment(env, "run-1", tell);
  lost.write(1, "train", line);
  await lost.close();
  assert.match(told[1]!, /^metrics do not reach .*; the training goes on$/);
});

test("a histogram counts every finite value once, whole numbers each by itself", () => {
  assert.deepEqual(histogram([0, 2, 2, 5]), {
    count: 4,
    min: 0,
    max: 5,
    sum: 9,
    squares: 33,
    limits: [0, 1, 2, 3, 4, 5],
    counts: [1, 0, 2, 0, 0, 1],
  });
  assert.equal(histogram([Number.NaN]).count, 0);
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
      const h = histogram(values);
      const finite = values.filter(Number.isFinite);
      assert.equal(
        h.counts.reduce((a, b) => a + b, 0),
        finite.length,
      );
      assert.equal(h.counts.length, h.limits.length);
      assert.ok(h.limits.every((limit, i) => i === 0 || limit >= h.limits[i - 1]!));
      if (finite.length > 0) assert.equal(h.limits.at(-1), Math.max(...finite));
    }),
  );
  assert.deepEqual([...measures({ a: { b: 1 }, c: "x", d: null })], [["a/b", 1]]);
});

test("sinks open by name, and the screen needs none", () => {
  assert.deepEqual(openSinks(["console"], { path: folder, id: "r" }, assert.fail), []);
});
