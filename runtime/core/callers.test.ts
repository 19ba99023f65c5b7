import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import { Replies } from "./callers.js";

const { FrameKind } = actors.v1;
const answer = (id: number) => ({ kind: FrameKind.REPLY, id });

describe("the answers kept for a caller", () => {
  it("are those of its calls that have not ended, and at most 1,024", () => {
    const calls = fc.array(fc.record({ answered: fc.nat(400), ended: fc.nat(400) }), { maxLength: 20 });
    fc.assert(
      fc.property(calls, (rounds) => {
        const replies = new Replies();
        const model: number[] = [];
        let id = 0;
        for (const { answered, ended } of rounds) {
          for (let i = 0; i < answered; i++) {
            const gone = replies.keep(answer(++id));
            model.push(id);
            assert.equal(gone?.id, model.length > 1024 ? model.shift() : undefined);
          }
          const below = Math.max(0, id - ended);
          replies.settle(below);
          while (model[0] !== undefined && model[0] < below) model.shift();
          assert.equal(replies.size, model.length);
          for (const each of [model[0], model.at(-1)]) if (each) assert.equal(replies.find(each)?.id, each);
          assert.equal(replies.find(below - 1), undefined);
        }
      }),
    );
  });
});
