import assert from "node:assert/strict";
import { test } from "node:test";
import { actors } from "#protos";
import { makeLogger } from "../core/log.js";
import { pause } from "../core/wait.js";
import { Directory } from "../directory/directory.js";
import { type Entry, MemoryStore } from "../directory/store.js";
import { MemoryBus } from "../transport/bus.js";
import { Election, freeLease } from "./election.js";

const key = "lease.coordinator";
const lease = (beat: number) => actors.v1.Lease.encode({ endpoint: "e-other", node: "n9", term: 7, beat }).finish();

/** Its watch can be made to tell of nothing any more, as one whose consumer was lost. */
class DeafStore extends MemoryStore {
  deaf = false;
  override watch(changed: (entry: Entry) => void): Promise<() => void> {
    return super.watch((entry) => {
      if (!this.deaf) changed(entry);
    });
  }
}

interface Stand {
  store: DeafStore;
  election: Election;
  terms: number[];
  /** Resolves at the next victory. */
  won(): Promise<void>;
}

/** One candidate, on a store where another holds the lease. */
async function standing(body: (stand: Stand) => Promise<void>, onLead: () => void = () => {}): Promise<void> {
  const store = new DeafStore();
  await store.create(key, lease(0));
  const terms: number[] = [];
  let tell = () => {};
  const election = new Election({
    directory: await Directory.open(store),
    bus: new MemoryBus(),
    endpoint: "e-mine",
    node: "n1",
    log: makeLogger("test", "error"),
    onLead(term) {
      terms.push(term);
      tell();
      onLead();
    },
    lost: () => false,
    onLose() {},
  });
  const won = () =>
    new Promise<void>((resolve) => {
      tell = resolve;
    });
  try {
    await body({ store, election, terms, won });
  } finally {
    await election.stop();
  }
}

test("a candidate whose watch went deaf takes a lease that was given back, and only then", async () => {
  await standing(async ({ store, election, terms, won }) => {
    store.deaf = true;
    const victory = won();
    for (let beat = 1; beat <= 16; beat++) {
      const held = (await store.get(key))!;
      assert.ok(await store.update(key, lease(beat), held.revision), "the lease is the holder's while it beats");
      await pause(250);
    }
    assert.deepEqual(terms, []);
    await freeLease(await Directory.open(store), "n9");
    await victory;
    assert.deepEqual(terms, [8]);
    assert.equal(election.leading, true);
  });
});

test("a lease that does not move is taken, whether the watch tells of it or not", async () => {
  await Promise.all(
    [true, false].map((deaf) =>
      standing(async ({ store, terms, won }) => {
        const victory = won();
        store.deaf = deaf;
        const held = (await store.get(key))!;
        await store.update(key, lease(1), held.revision);
        await victory;
        assert.deepEqual(terms, [8]);
      }),
    ),
  );
});

test("who wins the lease and cannot lead gives it back", async () => {
  let tries = 0;
  await standing(
    async ({ store, terms, won }) => {
      await freeLease(await Directory.open(store), "n9");
      while (terms.length < 2) await won();
      assert.deepEqual(terms, [8, 9]);
    },
    () => {
      if (++tries === 1) throw new Error("the directory did not catch up");
    },
  );
});

test("a coordinator that was held up asks the store before it writes, and is none when another one took over", async (t) => {
  await standing(async ({ store, election, won }) => {
    const victory = won();
    await freeLease(await Directory.open(store), "n9");
    await victory;
    let heldMs = 0;
    const { now } = performance;
    t.mock.method(performance, "now", () => now.call(performance) + heldMs);
    heldMs += 60_000;
    const before = (await store.get(key))!.revision;
    assert.equal(await election.holds(), true);
    assert.ok((await store.get(key))!.revision > before, "by one more beat");
    heldMs += 60_000;
    while (!(await store.update(key, lease(1), (await store.get(key))!.revision))); // its own beat may come between
    assert.equal(await election.holds(), false);
    assert.equal(election.leading, false);
  });
});
