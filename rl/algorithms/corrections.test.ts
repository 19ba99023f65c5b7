import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addWeights, type Correction, correctionWeights, describeWeights, noWeights } from "./corrections.js";

// log-ratios: masked out, 0, 2 in the first sequence; -1 in the second; the third has no tokens
const old_N = Float32Array.of(0, -1, -1, -2);
const rollout_N = Float32Array.of(Number.NaN, -1, -3, -1);
const mask_N = Uint8Array.of(0, 1, 1, 1);
const starts_B1 = Int32Array.of(0, 3, 4, 4);

const weigh = (...wanted: Correction[]) =>
  [...correctionWeights(old_N, rollout_N, mask_N, starts_B1, wanted)].map((w) => Number(w.toFixed(4)));

const icepop: Correction = { kind: "icepop", low: 0.5, high: 5 };
const outlier: Correction = { kind: "outlier_mask", low: 1e-4, high: 7 };
const tis: Correction = { kind: "tis", level: "token", cap: 2 };
const geometric: Correction = { kind: "geometric_mask", low: 0.3, high: 1.002 };
const mis = (level: "token" | "sequence"): Correction => ({ kind: "mis", level, low: 0.5, high: 8 });

test("each correction by hand; a NaN at a masked position reaches no weight, which is 1 there", () => {
  assert.deepEqual(weigh(), [1, 1, 1, 1]);
  assert.deepEqual(weigh(tis), [1, 1, 2, 0.3679]);
  assert.deepEqual(weigh({ ...tis, level: "sequence", cap: 5 }), [1, 5, 5, 0.3679]);
  assert.deepEqual(weigh({ ...icepop, high: 8 } as Correction), [1, 1, 7.3891, 0]);
  assert.deepEqual(weigh(icepop), [1, 1, 0, 0]);
  assert.deepEqual(weigh(mis("token")), [1, 1, 1, 0]);
  assert.deepEqual(weigh({ ...mis("sequence"), high: 7 } as Correction), [1, 0, 0, 0]);
  assert.deepEqual(weigh(outlier), [1, 0, 0, 1]);
  assert.deepEqual(weigh(geometric), [1, 0, 0, 1]); // geometric means e and 1/e
});

test("seq_mask_tis keeps whole sequences and weighs their tokens", () => {
  assert.deepEqual(weigh(geometric, tis), [1, 0, 0, 0.3679]);
  assert.deepEqual(weigh({ ...geometric, high: 3 }, tis), [1, 1, 2, 0.3679]);
});

test("weights do not depend on the order that corrections are named in, nor on sequences that are packed beside", () => {
  const all = [outlier, mis("token"), mis("sequence"), tis, geometric];
  const logps = fc.array(
    fc.tuple(fc.float({ min: -9, max: 0, noNaN: true }), fc.float({ min: -9, max: 0, noNaN: true })),
  );
  fc.assert(
    fc.property(fc.array(logps, { maxLength: 4 }), fc.shuffledSubarray(all), (sequences, wanted) => {
      const pack = (parts: [number, number][][]) => {
        const starts = [0];
        for (const part of parts) starts.push(starts.at(-1)! + part.length);
        const flat = parts.flat();
        return correctionWeights(
          Float32Array.from(flat, ([old]) => old),
          Float32Array.from(flat, ([, rollout]) => rollout),
          Uint8Array.from(flat, () => 1),
          Int32Array.from(starts),
          wanted,
        );
      };
      const together = [...pack(sequences)];
      assert.deepEqual(
        together,
        sequences.flatMap((one) => [...pack([one])]),
      );
      for (const w of together) assert.ok(w >= 0 && Number.isFinite(w));
      wanted.reverse();
      assert.deepEqual([...pack(sequences)], together);
    }),
  );
});

test("the kept fraction and the effective sample size count masked tokens of all ranks", () => {
  assert.deepEqual(describeWeights([noWeights()]), { kept: 1, effective: 1 });
  const [a, b] = [noWeights(), noWeights()];
  addWeights(a, Float32Array.of(1, 1, 3), Uint8Array.of(0, 1, 1));
  addWeights(b, Float32Array.of(0, 0), Uint8Array.of(1, 1));
  assert.deepEqual(describeWeights([a, b]), { kept: 0.5, effective: 16 / 10 / 4 });
  assert.deepEqual(describeWeights([b]), { kept: 0, effective: 0 });
});
