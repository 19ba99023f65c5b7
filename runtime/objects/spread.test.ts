import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { EndpointId } from "../core/ids.js";
import { Spread, type Taker } from "./spread.js";

/** Each on a host of its own. */
const takers = (n: number) =>
  Array.from({ length: n }, (_, i): Taker => ({ endpoint: `e${i}` as EndpointId, host: `h${i}`, pid: i + 1 }));

test("two pull from the owner at once; the next wait, and then go to those who have it", () => {
  const spread = new Spread();
  const [a, b, c, d] = takers(4) as [Taker, Taker, Taker, Taker];
  assert.deepEqual(
    [a, b, c].map((each) => spread.next("o", each)),
    ["here", "here", "wait"],
  );
  assert.equal(spread.next("o", a), "here", "the same one asks again");
  spread.ended("o", a, true);
  assert.deepEqual(
    [c, d].map((each) => spread.next("o", each)),
    ["here", a],
  );
  spread.ended("o", a, false);
  assert.equal(spread.next("o", d), "wait", "a holder that let go is named no more");
  assert.equal(spread.next("o", d, performance.now() + 61_000), "here", "who never ends does not count for long");
});

test("a broadcast reaches everyone in rounds that double, with no one serving more than two at once", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (count) => {
      const owner: Taker = { endpoint: "owner" as EndpointId, host: "h", pid: 9 };
      const spreads = new Map([[owner, new Spread()]]);
      let waiting = takers(count);
      let rounds = 0;
      for (; waiting.length > 0; rounds++) {
        const pulls: [Taker, Taker][] = [];
        for (const taker of waiting) {
          const said = spreads.get(owner)!.next("o", taker);
          const from = said === "here" ? owner : said === "wait" ? undefined : said;
          if (from && (from === owner || spreads.get(from)!.next("o", taker) === "here")) pulls.push([taker, from]);
        }
        assert.ok(pulls.length > 0);
        for (const from of spreads.keys()) assert.ok(pulls.filter((pull) => pull[1] === from).length <= 2);
        for (const [taker, from] of pulls) {
          spreads.get(from)!.ended("o", taker, true);
          if (from !== owner) spreads.get(owner)!.ended("o", taker, true);
          spreads.set(taker, new Spread());
        }
        waiting = waiting.filter((each) => !spreads.has(each));
      }
      assert.ok(rounds <= Math.ceil(Math.log2(count + 1)) + 1, `${rounds} rounds for ${count}`);
    }),
  );
});

test("one of a host pulls, wherever it is sent; the others are named it, also when it has the object", () => {
  const spread = new Spread();
  const [a, b, c, other] = takers(4).map((each, i) => (i < 3 ? { ...each, host: "h" } : each)) as [
    Taker,
    Taker,
    Taker,
    Taker,
  ];
  const near = () => [a, b, other].map((each) => spread.near("o", each)?.endpoint);
  assert.deepEqual(near(), [undefined, a.endpoint, undefined]);
  spread.ended("o", a, true);
  assert.deepEqual(spread.near("o", c), a);
  spread.ended("o", a, false);
  assert.equal(spread.near("o", c), undefined, "the next takes over");
  assert.deepEqual(near(), [c.endpoint, c.endpoint, undefined]);
  spread.ended("o", c, true);
  assert.equal(spread.near("o", c), undefined, "whoever asks has it no more");
  assert.deepEqual(near(), [c.endpoint, c.endpoint, undefined]);
});
