import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { localSystem } from "../cluster/local.js";
import type { ActorSystem } from "../system.js";
import { defineActor } from "./definition.js";
import { isActorsError } from "./errors.js";

const least = 256 << 10; // bytes from which arguments lie in an object
let encoded = 0;

/** A value that counts how often it is encoded. */
const counted = (bytes: number) => ({
  data: new Uint8Array(bytes).fill(1),
  get once() {
    return ++encoded;
  },
});

class Member {
  #told = 0;
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  /** Writes into its argument, as it may. */
  take({ data }: { data: Uint8Array }): number {
    const sum = data.reduce((all, byte) => all + byte, 0);
    data.fill(9);
    return sum;
  }
  /** Answers when it is let, which `slow` alone has to be. */
  async wait({ data }: { data: Uint8Array }, slow: boolean): Promise<number> {
    if (slow) await this.#opened;
    return data.length;
  }
  open() {
    this.#open();
  }
  hear({ data }: { data: Uint8Array }) {
    this.#told += data.length;
  }
  told() {
    return this.#told;
  }
  async drain(numbers: AsyncIterable<number>): Promise<number[]> {
    const all: number[] = [];
    for await (const each of numbers) all.push(each);
    return all;
  }
}
const member = defineActor({ name: "test.member", module: import.meta.url, class: Member, shared: ["open", "wait"] });

describe("a call of all members of a group", () => {
  let system: ActorSystem;
  before(async () => {
    system = await localSystem({ nodes: 2 });
  });
  after(() => system.close());

  const objects = async () => (await system.introspection().objects()).objects;

  for (const bytes of [1000, 4 * least]) {
    it(`encodes its arguments once, and no member shares them with another (${bytes} bytes)`, async () => {
      const group = await system.spawnGroup(member, 4);
      encoded = 0;
      assert.deepEqual(await group.take.all(counted(bytes)), [bytes, bytes, bytes, bytes]);
      assert.equal(encoded, 1);
      await group.hear.tell(counted(bytes));
      assert.deepEqual(await group.told.all(), [bytes, bytes, bytes, bytes]);
      assert.equal(encoded, 2);
      assert.deepEqual(await objects(), [], "freed");
    });
  }

  it("puts them as one object, which stays until the last has answered", async () => {
    const group = await system.spawnGroup(member, 3);
    const [first, , last] = group;
    const calls = group.wait.with({ timeoutMs: 60_000 }).all(counted(least), true);
    await Promise.all([first!.open(), group[1]!.open()]);
    const held = await objects();
    assert.deepEqual(
      held.map(({ use }) => use),
      ["argument"],
    );
    await last!.open();
    assert.deepEqual(await calls, [least, least, least]);
    assert.deepEqual(await objects(), []);
  });

  it("frees them when members have ended, also when all have", async () => {
    const group = await system.spawnGroup(member, 3);
    await system.stop(group[0]!);
    await assert.rejects(group.take.all(counted(least)), isActorsError);
    await group.hear.tell(counted(least));
    assert.deepEqual(await Promise.all([group[1]!.told(), group[2]!.told()]), [least, least]);
    assert.deepEqual(await objects(), []);
    await Promise.all([system.stop(group[1]!), system.stop(group[2]!)]);
    await assert.rejects(group.take.all(counted(least)), isActorsError);
    await group.hear.tell(counted(least));
    assert.deepEqual(await objects(), []);
  });

  it("gives each member a stream of its own", async () => {
    const group = await system.spawnGroup(member, 2);
    const numbers = {
      async *[Symbol.asyncIterator]() {
        yield 1;
        yield 2;
      },
    };
    assert.deepEqual(await group.drain.all(numbers), [
      [1, 2],
      [1, 2],
    ]);
  });
});
