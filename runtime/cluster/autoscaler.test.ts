import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { callHook } from "./autoscale-hook.js";
import type { Demand } from "./autoscaler.js";
import { localSystem } from "./local.js";
import { hasEnded, until } from "./testing.js";
import { probe } from "./testing-actors.js";

function scratch(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "autoscale-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("a webhook is told of what waits, alike ones together, and when nothing waits any more", async (t) => {
  const heard: Demand[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    heard.push(JSON.parse(body));
    response.end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await using system = await localSystem({ autoscale: { url }, offers: { resources: { seat: 2 } } });
  const seated = { resources: { seat: 1 } };
  const first = [await system.spawn(probe, seated), await system.spawn(probe, seated)];
  const waits = Promise.all([system.spawn(probe, seated), system.spawn(probe, seated)]);
  const find = (count: number) => heard.find(({ unmet }) => unmet[0]?.count === count);
  await until("a call of the hook for both", () => find(2) !== undefined);
  const { unmet, nodes } = find(2)!;
  assert.equal(unmet.length, 1);
  assert.deepEqual([unmet[0]!.resources, unmet[0]!.strategy, unmet[0]!.actors.length], [{ seat: 1 }, "spread", 2]);
  assert.match(unmet[0]!.why, /n1 lacks seat 1 \(0 free\)/);
  assert.ok(Date.now() - Date.parse(unmet[0]!.waitingSince) < 20_000);
  assert.deepEqual(
    nodes.map(({ id, idleSince }) => [id, idleSince]),
    [["n1", null]],
  );
  await Promise.all(first.map((each) => system.stop(each)));
  await waits;
  await until("a call of the hook for none", () => heard.at(-1)!.unmet.length === 0);
});

test("a hook that hangs does not hold up placement, and ends with the system", async (t) => {
  const dir = scratch(t);
  const hanging = await localSystem({ autoscale: { command: `echo $$ > ${dir}/pid; exec sleep 600` } });
  const waits = hanging.spawn(probe, { resources: { seat: 1 }, timeoutMs: 3_000 }).catch(() => {});
  const pidOf = () => (existsSync(`${dir}/pid`) ? Number(readFileSync(`${dir}/pid`, "utf8")) : 0);
  await until("the hook runs", () => pidOf() > 0);
  assert.equal(await (await hanging.spawn(probe)).add(1), 1);
  await hanging.close();
  await until("the hook ended", () => hasEnded(pidOf()));
  await waits;
});

test("a hook that fails is told with its last lines, one that is too late is ended", async () => {
  const never = new AbortController().signal;
  await assert.rejects(callHook({ command: "cat >&2; exit 3" }, "{}", never), /ended with exit code 3: \{\}/);
  await assert.rejects(callHook({ command: "sleep 5 & echo why >&2; exit 4" }, "{}", never), /exit code 4: why/);
  await callHook({ command: "cat > /dev/null" }, "x".repeat(1 << 20), never);
  await callHook({ command: "true" }, "x".repeat(1 << 20), never);
  await assert.rejects(callHook({ command: "sleep 600" }, "{}", AbortSignal.timeout(50)), /sleep 600 took too long/);
  await assert.rejects(callHook({ url: "http://127.0.0.1:1/" }, "{}", never), /fetch failed/);
});
