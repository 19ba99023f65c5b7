import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { localSystem } from "../cluster/local.js";
import type { ActorSystem } from "../system.js";
import { isActorsError } from "./errors.js";
import type { Handle } from "./handle.js";
import { type Hop, hop, type Seen } from "./testing-actors.js";

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;
const traceOf = (seen: Seen) => form.exec(seen ?? "")?.[1];
const spanOf = (seen: Seen) => form.exec(seen ?? "")?.[2];

describe("a trace", () => {
  let system: ActorSystem;
  const hops: Handle<Hop>[] = [];
  before(async () => {
    system = await localSystem({ nodes: 2 });
    for (const [hosting, node] of [
      ["inline", "n1"],
      ["inline", "n1"],
      ["inline", "n2"],
      ["thread", "n2"],
    ] as const)
      hops.push(await system.spawn(hop, { hosting, node }));
  });
  after(() => system.close());
  const others = () => hops.slice(1);

  it("is not there unless it is asked for", async () => {
    for (const other of others()) assert.deepEqual(await hops[0]!.ask(other), [undefined, undefined, undefined]);
  });

  it("goes along with every call made in its course, each a span of its own, over endpoints and threads", async () => {
    for (const other of others()) {
      const seen = await hops[0]!.ask.with({ trace: true })(other);
      const streamed: Seen[] = [];
      for await (const one of hops[0]!.relay.with({ trace: seen[0]! })(other)) streamed.push(one);
      await hops[0]!.tell.with({ trace: seen[0]! })(other);
      const told = await other.told();
      const all = [...seen, ...streamed, told];
      assert.ok(traceOf(seen[0]), `${seen[0]}`);
      assert.deepEqual(new Set(all.map(traceOf)), new Set([traceOf(seen[0])]), all.join(" "));
      assert.equal(new Set(all.map(spanOf)).size, all.length);
    }
  });

  it("does not spread to calls that have nothing to do with it, though they run between those of it", async () => {
    const [one, other] = [hops[0]!, hops[1]!];
    const rounds = Array.from({ length: 20 }, (_, i) =>
      i % 2 ? one.ask(other) : one.ask.with({ trace: true })(other),
    );
    const seen = await Promise.all(rounds);
    for (const [i, all] of seen.entries()) {
      if (i % 2) assert.deepEqual(all, [undefined, undefined, undefined]);
      else assert.deepEqual(new Set(all.map(traceOf)), new Set([traceOf(all[0])]));
    }
    assert.equal(new Set(seen.map(([own]) => traceOf(own))).size, 11, "ten traces, and none");
  });

  it("that is given must be a traceparent, and is continued with its flags", async () => {
    const given = `00-${"a".repeat(32)}-${"b".repeat(16)}-00`;
    const seen = await hops[0]!.see.with({ trace: given })();
    assert.match(seen ?? "", /^00-a{32}-[0-9a-f]{16}-00$/);
    assert.notEqual(seen, given);
    for (const bad of ["", "00-abc", given.replace("00-a", "00-g"), `00-${"0".repeat(32)}-${"b".repeat(16)}-01`]) {
      const call = hops[0]!.see.with({ trace: bad })();
      await assert.rejects(call, (error) => isActorsError(error, "INVALID_ARGUMENT"), bad);
    }
  });
});
