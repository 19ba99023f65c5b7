import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect } from "nats";
import { isAlive } from "../core/claim.js";
import { isActorsError } from "../core/errors.js";
import { pause } from "../core/wait.js";
import { connectNats, type Identity } from "../transport/nats.js";
import { issue, newAuthority } from "./authority.js";
import { startNatsServer } from "./nats-server.js";

const authority = newAuthority();
const cluster = { authority };
const address = { cluster: "test", ...issue(authority.signer, "control", "test") };
const dial = (url: string, as: Partial<Identity> = {}) => connectNats({ ...address, url, ...as }, "test");

async function folder(t: TestContext): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "nats-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 5000; !holds(); await pause(10)) assert.ok(Date.now() < deadline, what);
}

test("a server accepts whom its authority vouches for and nobody else, and no secret is in its configuration", async (t) => {
  const dir = await folder(t);
  const server = await startNatsServer({ dir, ...cluster });
  t.after(() => server.stop());
  const nc = await dial(server.url);
  await nc.jetstreamManager();
  await nc.close();
  const { seed, jwt } = issue(newAuthority().signer, "control", "test");
  const [head, claims, signature] = issue(authority.signer, "client", "test").jwt.split(".");
  const more = Buffer.from(claims!, "base64url").toString().replace('"pub":', '"was":');
  const forged = [head, Buffer.from(more).toString("base64url"), signature].join(".");
  for (const stranger of [{ seed }, { jwt }, { seed, jwt }, { jwt: forged }])
    await assert.rejects(dial(server.url, stranger), /Authorization/i);
  await assert.rejects(connect({ servers: server.url, reconnect: false }), /Authorization/i);
  assert.equal(statSync(join(dir, "nats.conf")).mode & 0o777, 0o600);
  const config = readFileSync(join(dir, "nats.conf"), "utf8");
  for (const secret of [authority.signer, address.seed]) assert.ok(!config.includes(secret));
});

test("a killed server tells, and starts again on its port with what was stored", async (t) => {
  const server = await startNatsServer({ dir: await folder(t), ...cluster });
  t.after(() => server.stop());
  const { port, pid } = server;
  const nc = await dial(server.url);
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: "kept", subjects: ["kept"] });
  await nc.jetstream().publish("kept", "one");
  const told = new Promise<string>((resolve) => server.onExit(resolve));
  process.kill(pid, "SIGKILL");
  assert.equal(await told, "on SIGKILL");
  await server.restart();
  assert.equal(server.port, port);
  assert.notEqual(server.pid, pid);
  const again = await dial(server.url);
  assert.equal((await (await again.jetstreamManager()).streams.info("kept")).state.messages, 1);
  await Promise.all([nc.close(), again.close()]);
});

test("a server that was stopped is gone, and says nothing of it", async (t) => {
  const server = await startNatsServer({ dir: await folder(t), ...cluster });
  server.onExit(() => assert.fail("nobody died"));
  const { pid } = server;
  await Promise.all([server.stop(), server.stop()]);
  assert.ok(!isAlive(pid));
  await assert.rejects(server.restart(), (error) => isActorsError(error, "CANCELLED"));
});

test("a taken port is refused by number, with the one who holds it", async (t) => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  t.after(() => holder.close());
  const { port } = holder.address() as { port: number };
  await assert.rejects(startNatsServer({ dir: await folder(t), ...cluster, port }), (error) => {
    assert.ok(isActorsError(error, "UNAVAILABLE"));
    assert.match(error.rawMessage, new RegExp(`^port ${port} is taken by .+ \\(process ${process.pid}\\)$`));
    assert.match(error.hint!, /--port/);
    return true;
  });
});

test("a server that cannot start says why, in the words of its log", async (t) => {
  const dir = await folder(t);
  writeFileSync(join(dir, "jetstream"), "a file where the store must be");
  await assert.rejects(startNatsServer({ dir, ...cluster }), (error) => {
    assert.ok(isActorsError(error, "UNAVAILABLE"));
    assert.match(error.rawMessage, /^nats-server ended with exit code 1: .*not a directory/i);
    assert.match(error.hint!, /nats\.log/);
    return true;
  });
});

const linux = process.platform === "linux" ? false : "the kernel of this system cannot tie a process to its parent";
test("kill -9 of the owner leaves no server", { skip: linux }, async (t) => {
  const dir = await folder(t);
  const program = join(dir, "owner.mjs");
  writeFileSync(
    program,
    `import { startNatsServer } from ${JSON.stringify(new URL("./nats-server.js", import.meta.url))};
     process.send((await startNatsServer({ dir: ${JSON.stringify(dir)}, ...${JSON.stringify(cluster)} })).pid);`,
  );
  const owner = fork(program);
  const [pid] = (await once(owner, "message")) as [number];
  assert.ok(isAlive(pid));
  owner.kill("SIGKILL");
  await until("the server outlived its owner", () => hasEnded(pid));
});

/** Also true of a zombie that nobody has collected yet. */
function hasEnded(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
