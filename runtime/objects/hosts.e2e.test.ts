import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { connectRuntime } from "../cluster/connect.js";
import { hasEnded, TestCluster, until } from "../cluster/testing.js";
import { isActorsError } from "../core/errors.js";
import { makeLogger } from "../core/log.js";
import type { Runtime } from "../core/runtime.js";
import { ActorSystem } from "../index.js";
import { keeper } from "./testing-actors.js";

const mib = 1 << 20;
const ended: (() => Promise<void>)[] = [];
let c: TestCluster;
/** A client that cannot map what the cluster's own processes have. */
let far: ActorSystem;
let runtime: Runtime;

before(async () => {
  c = await TestCluster.start({ after: (f) => void ended.push(f as () => Promise<void>) });
  process.env["ACTORS_HOST_ID"] = "elsewhere";
  const connected = await connectRuntime(c.file, { node: "", log: makeLogger("far"), name: "far", heartbeat: true });
  delete process.env["ACTORS_HOST_ID"];
  runtime = connected;
  far = new ActorSystem(connected, connected.endpoint.id, { close: () => connected.close("the test ended") });
});
after(async () => {
  await far.close();
  for (const end of ended) await end();
});

describe("objects of another host", () => {
  for (const hosting of ["inline", "thread", "process"] as const) {
    it(`are pulled both ways, and large arguments and results with them (${hosting})`, async () => {
      const k = await far.spawn(keeper, { hosting });
      const ref = await k.put(9 * mib, 3);
      const value = await far.get(ref);
      assert.ok(value.length === 9 * mib && value.every((byte) => byte === 3));
      assert.equal((await far.get(ref)).buffer, value.buffer, "pulled once");
      assert.equal(await k.hold(await far.put(new Uint8Array(5 * mib).fill(1))), 5 * mib);
      const data = new Float64Array(2 * mib).fill(7);
      assert.deepEqual(await k.take({ data, name: "x" }), { name: "x", length: 2 * mib, last: 7 });
      const given = await k.give(12 * mib, 5);
      assert.ok(given.length === 12 * mib && given.every((byte) => byte === 5));
      let i = 0;
      for await (const part of k.parts(3, mib)) assert.ok(part.length === mib && part[0] === i++);
      const sizes = [mib, 1, 2 * mib, 2];
      for (const size of sizes) k.tellOf.tell(new Uint8Array(size).fill(1));
      await k.pid();
      assert.deepEqual(await k.told(), sizes, "in the order they were sent");
      await far.free(ref);
      await assert.rejects(c.system.get(ref), (error) => isActorsError(error, "NOT_FOUND"));
      await c.system.stop(k);
    });
  }

  it("whose owner was killed while they are pulled end in an error that names it", async () => {
    const k = await far.spawn(keeper, { hosting: "process" });
    const ref = await k.put(200 * mib, 1);
    const pid = await k.pid();
    const pulling = far.get(ref);
    process.kill(pid, "SIGKILL");
    await assert.rejects(pulling, (error) => isActorsError(error, "UNAVAILABLE") && error.message.includes(ref.id));
    await until("the owner's end", () => hasEnded(pid));
    await assert.rejects(far.get(ref), (error) => {
      assert.ok(isActorsError(error, "UNAVAILABLE"));
      assert.match(error.message, new RegExp(`${ref.id} .*owner ${k.id} .*does not answer`));
      return true;
    });
    await c.system.stop(k);
  });

  const given = () => runtime.objects.exchange.given;

  it("come once to each host: its processes share what one of them pulled", async () => {
    const group = await far.spawnGroup(keeper, 4, { hosting: "process" });
    const bytes = 20 * mib;
    const ref = await far.put(new Uint8Array(bytes).fill(1));
    const before = given();
    assert.deepEqual(await group.hold.all(ref), Array(4).fill(bytes));
    await until("its last bytes to have left", () => given() - before >= ref.bytes);
    assert.equal(given() - before, ref.bytes);
    await far.free(ref);
    const argument = new Uint8Array(bytes).fill(2);
    assert.deepEqual(await group.sumOf.all(argument), Array(4).fill(2 * bytes));
    await until("its last bytes to have left", () => given() - before >= ref.bytes + bytes);
    assert.ok(given() - before < ref.bytes + bytes + mib, "so do members with a large argument");
    assert.ok(
      runtime.objects.list().own.every(({ use }) => use === "put"),
      "freed",
    );
    for (const each of group) await far.stop(each);
  });

  it("come to all others of a host when the process that pulls is killed half way", async () => {
    const [puller, ...others] = await far.spawnGroup(keeper, 3, { hosting: "process", restart: { max: 0 } });
    const bytes = 64 * mib;
    const ref = await far.put(new Uint8Array(bytes).fill(1));
    const pid = await puller!.pid();
    const before = given();
    const lost = assert.rejects(puller!.hold(ref), isActorsError);
    await until("it pulls", () => readFileSync(`/proc/${pid}/maps`, "utf8").includes("/memfd:actors-object"));
    await until("some of it has come", () => given() > before);
    const held = others.map((each) => each.hold.with({ timeoutMs: 60_000 })(ref));
    process.kill(pid, "SIGKILL");
    await lost;
    assert.ok(given() - before < bytes, "half way");
    assert.deepEqual(await Promise.all(held), [bytes, bytes]);
    await until("its last bytes to have left", () => given() - before >= ref.bytes);
    assert.ok(given() - before < 2 * ref.bytes, "the others pulled once");
    await far.free(ref);
    for (const each of others) await far.stop(each);
  });
});
