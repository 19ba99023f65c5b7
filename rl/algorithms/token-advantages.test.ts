import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AdvantageEstimator, ScoredSample } from "./advantages.js";
import { gae, generalizedAdvantages, reinforcePlusPlus, turnLevel } from "./token-advantages.js";

const options = { normByStd: true, gamma: 1, lambda: 1 };
const { NaN: nan } = Number;

function sample(
  mask: number[],
  rewards: number[],
  values: number[] = [],
  turns: [number, number][] = [],
): ScoredSample {
  const lossMask_T = Uint8Array.from(mask);
  return {
    score: rewards.reduce((sum, r, t) => sum + (mask[t] ? r : 0), 0),
    rewards_T: Float32Array.from(rewards),
    lossMask_T,
    turns: turns.map(([start, end]) => ({ start, end })),
    values_T: Float32Array.from(values),
  };
}

const near = (actual: Iterable<number>, expected: number[]) => {
  const got = [...actual];
  assert.equal(got.length, expected.length);
  for (const [i, x] of got.entries()) assert.ok(Math.abs(x - expected[i]!) < 1e-5, `${got} is not ${expected}`);
};

test("reinforce++ discounts within a turn, stops at an observation and whitens over the step", () => {
  // returns: 0 + .5 * 1, 1, behind the observation 4, and 2
  const [a, b] = reinforcePlusPlus([[sample([0, 1, 1, 0, 1], [nan, 0, 1, nan, 4])], [sample([0, 1], [9, 2])]], {
    ...options,
    gamma: 0.5,
  });
  const returns = [0.5, 1, 4, 2];
  const mean = 7.5 / 4;
  const std = Math.sqrt(returns.reduce((s, x) => s + (x - mean) ** 2, 0) / 3);
  const [w, x, y, z] = returns.map((r) => (r - mean) / std) as [number, number, number, number];
  near(a![0]!, [0, w, x, 0, y]);
  near(b![0]!, [0, z]);
});

test("gae goes on from the next sampled token, and the returns are what the values should have been", () => {
  const one = sample([0, 1, 1, 0, 1], [nan, 0, 1, nan, 4], [nan, 1, 2, nan, 3]);
  // Backwards: 4 - 3 = 1; 1 + .9*3 - 2 + .9*.8*1 = 2.42; 0 + .9*2 - 1 + .72*2.42 = 2.5424
  const { advantages_T, returns_T } = generalizedAdvantages(one, 0.9, 0.8);
  near(advantages_T, [0, 2.5424, 2.42, 0, 1]);
  near(returns_T, [0, 3.5424, 4.42, 0, 4]);
  assert.throws(() => gae([[{ ...one, values_T: undefined } as never]], options), /gae needs a critic's value/);
});

test("with lambda 1 a gae return is the discounted sum of rewards, whatever the values", () => {
  const rows = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), { minLength: 1 });
  fc.assert(
    fc.property(rows, (r) => {
      const { returns_T } = generalizedAdvantages(
        sample(
          r.map(() => 1),
          r.map(([x]) => x),
          r.map(([, v]) => v),
        ),
        0.5,
        1,
      );
      let carry = 0;
      for (let t = r.length - 1; t >= 0; t--) {
        carry = r[t]![0] + 0.5 * carry;
        assert.ok(Math.abs(returns_T[t]! - carry) < 1e-3);
      }
    }),
  );
});

test("turn_level compares returns-to-go with those who came to the same turn", () => {
  const turns: [number, number][] = [
    [1, 3],
    [4, 5],
  ];
  const a = sample([0, 1, 1, 0, 1], [nan, 0, 1, nan, 2], [], turns);
  const b = sample([0, 1, 1, 0, 1], [nan, 0, 0, nan, 1], [], turns);
  const c = sample([0, 1], [nan, 5], [], [[1, 2]]);
  const [[x, y, z]] = turnLevel([[a, b, c]], { ...options, normByStd: false, gamma: 0.5 }) as [Float32Array[]];
  // turn 0: 1 + .5*2 = 2, .5, 5 with mean 2.5; turn 1: 2, 1 with mean 1.5
  near(x!, [0, -0.5, -0.5, 0, 0.5]);
  near(y!, [0, -2, -2, 0, -0.5]);
  near(z!, [0, 2.5]);
});

const all: [string, AdvantageEstimator][] = [
  ["reinforce++", reinforcePlusPlus],
  ["gae", gae],
  ["turn_level", turnLevel],
];
for (const [name, estimate] of all) {
  test(`${name}: finite on sampled tokens and 0 elsewhere, whatever lies there; empty groups, singletons, empty responses`, () => {
    const cell = fc.tuple(fc.boolean(), fc.integer({ min: -3, max: 3 }));
    const samples = fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(samples, { maxLength: 3 }), (groups) => {
        const dirty = groups.map((group) =>
          group.map((cells) => {
            const mask = cells.map(([m]) => Number(m));
            const x = cells.map(([m, r]) => (m ? r : nan));
            return sample(mask, x, x, [[0, cells.length]]);
          }),
        );
        const result = estimate(dirty, options);
        assert.deepEqual(
          result.map((g) => g.map((a) => a.length)),
          groups.map((g) => g.map((cells) => cells.length)),
        );
        for (const [g, group] of dirty.entries())
          for (const [s, { lossMask_T }] of group.entries())
            for (const [t, a] of result[g]![s]!.entries()) assert.ok(lossMask_T[t] ? Number.isFinite(a) : a === 0);
      }),
    );
  });
}
