import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { StoredSnapshots } from "./snapshots.js";
import { MemoryStore } from "./store.js";

const id = "a1" as ActorId;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (state: Uint8Array | undefined) => state && new TextDecoder().decode(state);

describe("kept states", () => {
  it("are the newest, whoever asks, until they are removed", async () => {
    const store = new MemoryStore();
    const [a, b] = [new StoredSnapshots(async () => store), new StoredSnapshots(async () => store)];
    assert.equal(await a.load(id), undefined);
    await a.save(id, 1, bytes("one"));
    await b.save(id, 1, bytes("two"));
    assert.equal(text(await a.load(id)), "two");
    await a.remove(id);
    await a.remove(id);
    assert.equal(await b.load(id), undefined);
  });

  it("of a later incarnation are never overwritten by an earlier one", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 }), async (epochs) => {
        const store = new MemoryStore();
        const saved = await Promise.all(
          epochs.map(async (epoch) => {
            const snapshots = new StoredSnapshots(async () => store);
            await snapshots.save(id, epoch, bytes(String(epoch))).catch((error: unknown) => {
              assert.ok(isActorsError(error, "NOT_HERE"), String(error));
            });
          }),
        );
        assert.equal(saved.length, epochs.length);
        assert.equal(text(await new StoredSnapshots(async () => store).load(id)), String(Math.max(...epochs)));
      }),
    ));

  it("are refused when they are too large, and the one before stays", async () => {
    const store = new MemoryStore();
    const snapshots = new StoredSnapshots(async () => store, 10);
    await snapshots.save(id, 1, bytes("small"));
    await assert.rejects(
      snapshots.save(id, 1, bytes("far too large")),
      /a snapshot of 13 bytes is over the limit of 10/,
    );
    assert.equal(text(await snapshots.load(id)), "small");
  });

  it("wait for a store that could not be opened at first", async () => {
    let tries = 0;
    const snapshots = new StoredSnapshots(async () => {
      if (tries++ === 0) throw new Error("not now");
      return new MemoryStore();
    });
    await assert.rejects(snapshots.save(id, 1, bytes("x")), /not now/);
    await snapshots.save(id, 1, bytes("x"));
    assert.equal(text(await snapshots.load(id)), "x");
  });
});
