import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SandboxBackend } from "./backend.js";
import type { SandboxProcess } from "./channel.js";
import type { Lease } from "./lease.js";
import { SandboxPool } from "./pool.js";
import { ProcessBackend } from "./process.js";
import { defaultLimits } from "./session.js";
import { backends, file, log, out, sh, until } from "./testing.js";

const one = backends().find(({ skip }) => !skip)?.backend ?? new ProcessBackend();
const open = (size: number, backend: SandboxBackend = one) =>
  new SandboxPool({ backend, limits: defaultLimits, size, log });

describe("a pool of sandboxes", () => {
  let pool: SandboxPool;
  before(async () => {
    pool = open(2);
    await pool.start();
  });
  after(() => pool.close());

  test("hands out warm ones, each to one user at a time", async () => {
    const [a, b] = await Promise.all([pool.acquire(), pool.acquire()]);
    assert.notEqual(a?.id, b?.id);
    assert.deepEqual([pool.stats().idle, pool.stats().leased], [0, 2]);
    const third = pool.acquire();
    assert.equal(pool.stats().waiting, 1);
    await a?.release();
    const c = await third;
    assert.equal(c.id, a?.id);
    await Promise.all([b?.release(), c.release()]);
    assert.deepEqual([pool.stats().idle, pool.stats().waiting], [2, 0]);
  });

  test("a wait past its deadline is a retryable error, and costs the next user nothing", async () => {
    const held = await Promise.all([pool.acquire(), pool.acquire()]);
    await assert.rejects(pool.acquire({ timeoutMs: 30 }), {
      code: "OVERLOADED",
      retryable: true,
      message: /all 2 are in use/,
    });
    const aborted = new AbortController();
    const waiting = pool.acquire({ signal: aborted.signal });
    aborted.abort();
    await assert.rejects(waiting, { code: "CANCELLED" });
    await Promise.all(held.map((lease) => lease.release()));
    assert.equal(pool.stats().idle, 2);
  });

  test("a sandbox comes back empty and with nothing running", async () => {
    const first = await pool.acquire();
    await first.run([
      { write: file("a/b", "x") },
      sh("(setsid sleep 66 &); echo x > $TMPDIR/t; echo x > /dev/shm/pool-test"),
    ]);
    await first.release();
    const again = await Promise.all([pool.acquire(), pool.acquire()]);
    const same = again.find((lease) => lease.id === first.id) as Lease;
    const [listed, rest] = await same.run([
      { list: "" },
      sh("ls $TMPDIR; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep 6[6]'"),
    ]);
    assert.deepEqual(listed?.names, []);
    assert.equal(out(rest), "");
    await Promise.all(again.map((lease) => lease.release()));
  });

  test("a released lease reaches no sandbox any more, and releasing twice gives back one", async () => {
    const lease = await pool.acquire();
    await Promise.all([lease.release(), lease.release()]);
    await assert.rejects(lease.run([{ list: "" }]), { code: "UNAVAILABLE" });
    assert.equal(pool.stats().idle, 2);
  });

  test("one that was killed is replaced, idle or lent", async () => {
    const lent = await pool.acquire();
    const [where] = await lent.run([sh("echo $PPID")]);
    assert.ok(out(where));
    const before = pool.stats().lost;
    await assert.rejects(lent.run([sh("sleep 9")], { timeoutMs: 50 }));
    await until(() => pool.stats().lost === before + 1 && pool.stats().idle === 2, "the replacement");
    await lent.release();
    assert.deepEqual([pool.stats().idle, pool.stats().leased], [2, 0]);
  });
});

test("a pool whose backend fails says why, and recovers with it", async () => {
  let works = false;
  const flaky: SandboxBackend = {
    name: one.name,
    caveat: null,
    close: () => one.close(),
    start: (limits) => (works ? one.start(limits) : Promise.reject(new Error("no space left"))),
  };
  const pool = open(1, flaky);
  const started = pool.start();
  await assert.rejects(pool.acquire({ timeoutMs: 50 }), { code: "OVERLOADED", message: /no space left/ });
  works = true;
  const lease = await pool.acquire();
  await started;
  await lease.release();
  await pool.close();
  await assert.rejects(pool.acquire(), { code: "ACTOR_STOPPED" });
});

test("closing ends every sandbox, lent ones too", async () => {
  const started: SandboxProcess[] = [];
  const counting: SandboxBackend = {
    name: one.name,
    caveat: null,
    close: () => one.close(),
    start: async (limits) => {
      const sandbox = await one.start(limits);
      started.push(sandbox);
      return sandbox;
    },
  };
  const pool = open(3, counting);
  await pool.start();
  const lease = await pool.acquire();
  const running = assert.rejects(lease.run([sh("sleep 60")]));
  await pool.close();
  await running;
  assert.equal(started.length, 3);
  await Promise.all(started.map((sandbox) => sandbox.ended));
});
