import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ActorSystem, type Handle, localSystem } from "../../runtime/index.js";
import { type SandboxActor, sandboxActor } from "./actor.js";
import { SandboxClient } from "./client.js";
import { errno, file, out, sh, until } from "./testing.js";

let system: ActorSystem;
let actor: Handle<SandboxActor>;
let client: SandboxClient;

before(async () => {
  system = await localSystem();
  actor = await system.spawn(sandboxActor, { args: [{ size: 2, idleMs: 300 }] });
  client = new SandboxClient(actor);
});
after(() => system.close());

test("a session runs operations in a sandbox of another actor", async () => {
  await using session = await client.open();
  const reset = { reset: { files: [file("a", "1"), file("b", "2")] } };
  const results = await session.run([reset, { read: "b" }, sh("cat a b; exit 4"), { read: "none" }, { read: "a" }]);
  assert.deepEqual(results.map(errno), ["ok", "ok", "ok", "ENOENT"]);
  assert.equal(out(results[1]), "2");
  assert.equal(out(results[2]), "12");
  assert.equal(results[2]?.exitCode, 4);
});

test("sessions work at the same time and see only their own files", async () => {
  await using one = await client.open();
  await using two = await client.open();
  await Promise.all([one.run([{ write: file("f", "one") }]), two.run([{ write: file("f", "two") }])]);
  const slow = one.run([sh("sleep 0.3; cat f")]);
  const [read] = await two.run([{ read: "f" }]);
  assert.equal(out(read), "two");
  assert.equal(out((await slow)[0]), "one");
});

test("a checkout waits its turn, and fails retryably past its deadline", async () => {
  const held = [await client.open(), await client.open()];
  const keepAlive = setInterval(() => held.map((session) => session.run([{ list: "" }]).catch(() => {})), 50);
  const failed = await client.open({ timeoutMs: 100 }).catch((error) => error);
  assert.equal(failed.retryable, true);
  const next = client.open();
  await held[0]?.release();
  await (await next).release();
  clearInterval(keepAlive);
  await held[1]?.release();
});

test("the sandbox of a client that died comes back after its idle time, a late call of it does not reach the next", async () => {
  const lost = await client.open();
  await lost.run([{ write: file("mine", "x") }]);
  await until(async () => (await actor.stats()).idle === 2, "the return of the sandbox");
  await using next = await client.open();
  await using other = await client.open();
  assert.ok(next.id !== lost.id && other.id !== lost.id);
  await assert.rejects(lost.run([{ read: "mine" }]), { code: "UNAVAILABLE", retryable: true });
  for (const session of [next, other]) assert.deepEqual((await session.run([{ list: "" }]))[0]?.names, []);
});

test("a command longer than the idle time keeps its lease", async () => {
  await using session = await client.open();
  const [slept] = await session.run([sh("sleep 0.8; echo done")]);
  assert.equal(out(slept), "done\n");
  assert.equal((await session.run([{ list: "" }])).length, 1);
});

test("after the actor stopped its sessions fail retryably or as stopped, and its sandboxes are gone", async () => {
  const own = await system.spawn(sandboxActor, { args: [{ size: 1 }] });
  const session = await new SandboxClient(own).open();
  assert.ok((await own.stats()).guarantees.proven.includes("memory"));
  await system.stop(own);
  await assert.rejects(session.run([{ list: "" }], { timeoutMs: 1_000 }), { name: "ActorsError" });
  await session.release();
});
