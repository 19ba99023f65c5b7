// What the tests of this folder share: a small model, batches, goldens, temporary folders.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type Batch,
  Engine,
  type Generation,
  type GenerationRequest,
  Learner,
  type ModelConfig,
  NativeError,
} from "../index.js";

export const smallModel: ModelConfig = {
  vocabSize: 50,
  dim: 32,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 12,
  ffnDim: 48,
  ropeTheta: 10000,
  normEps: 1e-6,
  tiedEmbeddings: true,
  maxSeqLen: 128,
};

/** A learner that is closed when the test ends. */
export function learnerFor(t: TestContext, config: ModelConfig = smallModel, seed = 1, threads = 1): Learner {
  const learner = Learner.create(config, seed, { threads });
  t.after(() => learner.close());
  return learner;
}

/** A folder that is removed when the test ends; in shared memory where there is some. */
export function folderFor(t: TestContext): string {
  const base = fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();
  const dir = fs.mkdtempSync(path.join(base, "actors-native-test-"));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** An engine with a learner's weights. */
export async function engineFor(t: TestContext, learner: Learner, maxSequences = 8, threads = 1): Promise<Engine> {
  const engine = Engine.open(learner.config, { maxSequences, threads });
  t.after(() => engine.close());
  const file = `${folderFor(t)}/weights`;
  await learner.publish(file);
  await engine.loadWeights(file, 1);
  return engine;
}

/** Runs until nothing is left; results by id. */
export async function finishAll(engine: Engine, maxSteps = 1000): Promise<Map<number, Generation>> {
  const done = new Map<number, Generation>();
  while (engine.active > 0) for (const generation of await engine.run(maxSteps)) done.set(generation.id, generation);
  return done;
}

export async function generateOne(engine: Engine, wanted: GenerationRequest): Promise<Generation> {
  const id = engine.submit(wanted);
  return (await finishAll(engine)).get(id)!;
}

/** A deterministic stream of numbers in [0, 1). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** With every array that a loss may read. */
export type FullBatch = Required<Omit<Batch, "weights" | "coefficients" | "interpolation">>;

export function batchOf(lengths: number[], config: ModelConfig = smallModel, seed = 1): FullBatch {
  const next = numbers(seed);
  const starts = new Int32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) starts[i + 1] = starts[i]! + length;
  const n = starts[lengths.length]!;
  const lossMask = new Uint8Array(n).map(() => (next() < 0.7 ? 1 : 0));
  for (const [i, length] of lengths.entries()) if (length > 0) lossMask[starts[i]!] = 0;
  return {
    tokens: new Int32Array(n).map(() => Math.floor(next() * config.vocabSize)),
    starts,
    lossMask,
    advantages: new Float32Array(n).map(() => next() * 2 - 1),
    oldLogp: new Float32Array(n).map(() => -4 + next()),
    rolloutLogp: new Float32Array(n).map(() => -4 + next()),
    refLogp: new Float32Array(n).map(() => -4 + next()),
    returns: new Float32Array(n).map(() => next() * 2 - 1),
    oldValues: new Float32Array(n).map(() => next() - 0.5),
  };
}

/** Sequences [from, to) of a batch. */
export function cut(batch: Batch, from: number, to: number): Batch {
  const a = batch.starts[from]!;
  const b = batch.starts[to]!;
  const parts = Object.entries(batch).map(([name, values]) => [name, values.slice(a, b)]);
  return { ...(Object.fromEntries(parts) as Batch), starts: batch.starts.slice(from, to + 1).map((s) => s - a) };
}

export function maxDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  assert.equal(a.length, b.length);
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

/** Relative L2 distance. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  assert.equal(a.length, b.length);
  let difference = 0;
  let norm = 1e-30;
  for (let i = 0; i < a.length; i++) {
    difference += (a[i]! - b[i]!) ** 2;
    norm += b[i]! ** 2;
  }
  return Math.sqrt(difference / norm);
}

/** Norm, and sums under four patterns of signs: see goldens/losses.py. */
export type Sketch = number[];

/** +1 or -1 from a hash of (index, pattern), as losses.py draws them. */
function sign(i: number, k: number): number {
  let h = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(k + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return 1 - 2 * ((h >>> 16) & 1);
}

/** Whether values have this sketch, their error being at most `tolerance` of the norm. */
export function fits(values: Float32Array, sketch: Sketch, tolerance: number, what: string): void {
  const [norm, ...sums] = sketch as [number, ...number[]];
  const ours = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
  assert.ok(Math.abs(ours - norm) <= tolerance * norm, `${what}: norm ${ours} instead of ${norm}`);
  for (const [k, sum] of sums.entries()) {
    const our = values.reduce((total, x, i) => total + x * sign(i, k), 0);
    assert.ok(Math.abs(our - sum) <= 5 * tolerance * norm, `${what}: sum ${k} is ${our} instead of ${sum}`);
  }
}

/** Rejects or throws a NativeError with this code, whose message matches. */
export async function failsWith(code: string, message: RegExp, body: () => unknown): Promise<void> {
  await assert.rejects(
    async () => body(),
    (error: unknown) => {
      assert.ok(error instanceof NativeError, `not a NativeError: ${error}`);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      return true;
    },
  );
}

export interface Golden {
  dir: string;
  tensors: Map<string, Float32Array>;
  expected: {
    tokens: number[];
    starts: number[];
    lossMask: number[];
    loss: { clipLow: number; clipHigh: number; entropyCoef: number; tisCap: number };
    adamw: { lr: number; beta1: number; beta2: number; eps: number; weightDecay: number; maxGradNorm: number };
    policyLoss: number;
    clipFraction: number;
    crossEntropy: number;
    /** Of mixtures of experts. */
    balance?: number;
    greedy: number[];
    losses: number[];
    gradNorms: number[];
  };
}

/** The fp32 tensors of a safetensors file. */
export function readTensors(file: string): Map<string, Float32Array> {
  const bytes = fs.readFileSync(file);
  const headerLength = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString("utf8", 8, 8 + headerLength)) as Record<string, { data_offsets: number[] }>;
  const tensors = new Map<string, Float32Array>();
  for (const [key, { data_offsets }] of Object.entries(header)) {
    if (key === "__metadata__") continue;
    const [from, to] = data_offsets.map((offset) => 8 + headerLength + offset);
    tensors.set(key, new Float32Array(new Uint8Array(bytes.subarray(from, to)).buffer));
  }
  return tensors;
}

/** A case that goldens/make.py wrote; the sources lie beside this file in the repository, not in dist. */
export function golden(name: string): Golden {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const dir = path.join(root, "native", "test", "goldens", name);
  const tensors = readTensors(path.join(dir, "expected.safetensors"));
  return { dir, tensors, expected: JSON.parse(fs.readFileSync(path.join(dir, "expected.json"), "utf8")) };
}
