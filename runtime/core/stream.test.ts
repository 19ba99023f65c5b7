import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { localSystem } from "../cluster/local.js";
import type { ActorSystem } from "../system.js";
import { Callers } from "./callers.js";
import { isActorsError } from "./errors.js";
import type { EndpointId } from "./ids.js";
import { reader } from "./testing-actors.js";

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Numbers up to a bound, and what became of their making. */
function numbers(bound: number) {
  const seen = { made: 0, ended: false };
  async function* make() {
    try {
      for (; seen.made < bound; seen.made++) yield seen.made;
    } finally {
      seen.ended = true;
    }
  }
  return { seen, stream: make() };
}

async function until(holds: () => boolean) {
  for (let i = 0; i < 1000 && !holds(); i++) await aTurn();
  assert.ok(holds());
}

for (const hosting of ["inline", "thread"] as const) {
  describe(`a stream to an actor, ${hosting}`, () => {
    let system: ActorSystem;
    before(async () => {
      system = await localSystem({ nodes: 1 });
    });
    after(() => system.close());

    it("is read to its end, further than the credit, beside other arguments", async () => {
      const r = await system.spawn(reader, { hosting });
      assert.equal(await r.sum(numbers(3000).stream), (2999 * 3000) / 2);
      assert.equal(await r.sums(numbers(4).stream, 10, numbers(5).stream), 160);
    });

    it("goes both ways at once", async () => {
      const r = await system.spawn(reader, { hosting });
      const { stream, seen } = numbers(2000);
      let next = 0;
      for await (const n of r.double(stream)) {
        assert.equal(n, next);
        next += 2;
      }
      assert.deepEqual([next, seen.ended], [4000, true]);
    });

    it("ends at its maker when the handler stops reading, and when the reader of a stream of answers leaves", async () => {
      const r = await system.spawn(reader, { hosting });
      const one = numbers(Number.POSITIVE_INFINITY);
      assert.deepEqual(await r.take(3, one.stream), [0, 1, 2]);
      await until(() => one.seen.ended);
      const two = numbers(Number.POSITIVE_INFINITY);
      for await (const n of r.double(two.stream)) if (n === 1000) break;
      await until(() => two.seen.ended);
      assert.equal(await r.sum(numbers(3).stream), 3);
    });

    it("tells the handler what its maker threw", async () => {
      const r = await system.spawn(reader, { hosting });
      async function* broken() {
        yield 1;
        throw Object.assign(new RangeError("no more of it"), { code: "E_EMPTY" });
      }
      assert.deepEqual(await r.hear(broken()), ["[USER_ERROR] no more of it"]);
    });

    it("ends unread with its call, whether that fails or not", async () => {
      const r = await system.spawn(reader, { hosting });
      const [one, two] = [numbers(9), numbers(9)];
      await one.stream.next();
      await assert.rejects(r.ignore(one.stream), /not interested/);
      await two.stream.next();
      assert.equal(await r.ignore(two.stream), 1);
      await until(() => one.seen.ended && two.seen.ended);
    });

    it("ends for the handler with its caller's patience, even when the next item never comes", async () => {
      const r = await system.spawn(reader, { hosting });
      async function* never() {
        yield 1;
        await new Promise(() => {});
        yield 2;
      }
      const leave = new AbortController();
      const call = r.hear.with({ signal: leave.signal })(never());
      await assert.rejects(r.sum.with({ timeoutMs: 30 })(numbers(1).stream), /within 30 ms/); // behind the one above
      leave.abort();
      await assert.rejects(call, (e) => isActorsError(e, "CANCELLED"));
      const [heard] = await r.hear(numbers(0).stream);
      assert.match(heard!, /CANCELLED/);
    });

    it("is kept within the credit in bytes when its items are large and their reader slow", async () => {
      const r = await system.spawn(reader, { hosting });
      let read = 0;
      for await (const item of r.large(40, 1 << 20)) {
        assert.equal(item.length, 1 << 20);
        for (let i = 0; i < 20; i++) await aTurn();
        const ahead = (await r.made()) - ++read;
        assert.ok(ahead <= 6, `${ahead} MiB ahead`); // 4 of credit, one that goes over it, one that waits
      }
      assert.equal(read, 40);
    });
  });
}

describe("a stream as an argument", () => {
  it("is refused where it cannot be read: in a tell, and a generator a second time", async () => {
    await using system = await localSystem();
    const r = await system.spawn(reader);
    assert.throws(() => r.sum.tell(numbers(1).stream), /lasts no longer than its call/);
    const once = numbers(2).stream;
    assert.equal(await r.sum(once), 1);
    await assert.rejects(r.sum(once), /passed to a call already/);
    const anew = { [Symbol.asyncIterator]: () => numbers(3).stream };
    assert.deepEqual(await Promise.all([r.sum(anew), r.sum(anew)]), [3, 3]);
  });

  it("of a caller that no longer answers is ended, and so are its other calls without a deadline", async () => {
    let alive = true;
    const callers = new Callers<{ cameAt: number; deadline: number; waits: boolean; cancel(why?: Error): void }>(
      async () => {
        if (!alive) throw new Error("no answer");
      },
    );
    const ended: string[] = [];
    const call = (name: string, deadline: number, waits = true) => ({
      cameAt: performance.now(),
      deadline,
      waits,
      cancel: (why?: Error) => void ended.push(`${name}: ${why?.message}`),
    });
    const running = callers.of("e1" as EndpointId).running;
    running.set(1, call("endless", Number.POSITIVE_INFINITY));
    running.set(2, call("ends by itself", performance.now() + 1e6));
    callers.of("foreign" as EndpointId).running.set(1, call("foreign", Number.POSITIVE_INFINITY, false));
    const ask = (count: number) =>
      Array.from({ length: count }).reduce<Promise<unknown>>((p) => p.then(() => Promise.all(callers.ask(0))), aTurn());
    assert.equal(callers.ask(60_000).length, 0, "no call is that old");
    await ask(9);
    alive = false;
    await ask(3);
    alive = true;
    await ask(1);
    alive = false;
    await ask(3);
    assert.deepEqual(ended, []);
    await ask(1);
    assert.deepEqual(ended, ["endless: [CANCELLED] its caller, endpoint e1, has not answered for over a minute"]);
    callers.close();
  });
});
