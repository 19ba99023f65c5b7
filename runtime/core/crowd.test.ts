import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Crowds } from "./crowd.js";

describe("crowds", () => {
  it("hold who came and is not over, in order, as a Set for each key would", () => {
    const steps = fc.array(fc.record({ key: fc.nat(2), leaves: fc.option(fc.nat(40)) }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (made) => {
        const crowds = new Crowds<number, { over: boolean }>();
        const sets = [0, 1, 2].map(() => new Set<{ over: boolean }>());
        for (const { key, leaves } of made) {
          const set = sets[key]!;
          const leaver = leaves === null ? undefined : [...set][leaves % Math.max(1, set.size)];
          if (leaver) {
            set.delete(leaver);
            leaver.over = true;
            crowds.left(key);
          } else {
            const member = { over: false };
            set.add(member);
            crowds.add(key, member);
          }
          assert.equal(crowds.has(key), set.size > 0);
          assert.ok(crowds.present(key).every((member, i) => member === [...set][i]));
          assert.equal(crowds.present(key).length, set.size);
        }
      }),
    );
  });
});
