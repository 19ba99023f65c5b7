import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import { connectNats, serversOf } from "../transport/nats.js";
import { joinCluster } from "./joined.js";
import { TestCluster, until } from "./testing.js";
import { probe } from "./testing-actors.js";
import { readyTls } from "./tls.js";

const dir = mkdtempSync(join(tmpdir(), "tls-test-"));
after(() => rmSync(dir, { recursive: true, force: true }));

/** What a server says to who speaks plainly. */
function plainly(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = dial(Number(port), hostname);
  let said = "";
  socket.on("data", (data) => (said += data));
  socket.on("error", () => {});
  socket.write('CONNECT {"verbose":true}\r\nPING\r\n');
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(said)));
  return withDeadline(closed, 10_000, "the end of the connection");
}

test("three servers with TLS take who trusts their CA, refuse plain text and others' certificates, and can be joined", async (t) => {
  const c = await TestCluster.start(t, 1, {}, { servers: 3, listen: "127.0.0.1", tls: true, spares: 0 });
  const { credential } = c.cluster;
  const urls = serversOf(credential.url);
  const here = await c.system.spawn(probe, { hosting: "process" });
  assert.equal(await here.add(1), 1);

  const { ca: _, ...without } = credential;
  await assert.rejects(connectNats(without, "test"), (error) => {
    assert.ok(isActorsError(error, "UNAVAILABLE"));
    assert.match(error.rawMessage, /shows a certificate that is not trusted: /);
    return true;
  });
  for (const url of urls) assert.doesNotMatch(await plainly(url), /PONG/);

  const state = mkdtempSync(join(tmpdir(), "tls-join-"));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const joined = await joinCluster({ url: urls[1]!, credential, nodes: 1, stateDir: state });
  try {
    await until("the joined node", () => c.system.ps().nodes.filter((n) => n.state === "up").length === 2);
    const [node] = c.system.ps().nodes.filter((n) => n.id !== "n1");
    const there = await c.system.spawn(probe, { hosting: "process", node: node!.id });
    assert.equal(await there.add(1), 1);
  } finally {
    await joined.stop("the test ended");
  }
});

test("a certificate that cannot serve is refused in one sentence, before anything starts", () => {
  const files = readyTls(true, join(dir, "a"), "127.0.0.1");
  const others = readyTls(true, join(dir, "b"), "10.0.0.5");
  const refused = (wanted: typeof files, host: string, why: RegExp) =>
    assert.throws(
      () => readyTls(wanted, dir, host),
      (error) => isActorsError(error, "INVALID_ARGUMENT") && why.test(error.rawMessage),
    );
  assert.equal(readyTls(files, dir, "127.0.0.1"), files);
  assert.equal(readyTls(others, dir, "10.0.0.5"), others);
  refused(files, "10.0.0.5", /server\.crt does not name the address 10\.0\.0\.5$/);
  refused({ ...files, key: others.key }, "127.0.0.1", /server\.key is not that of the certificate /);
  refused({ ...files, ca: others.ca }, "127.0.0.1", /server\.crt was not signed by .*ca\.crt$/);
  refused({ ...files, cert: files.key }, "127.0.0.1", /server\.key is no certificate in PEM$/);
  refused({ ...files, cert: join(dir, "none") }, "127.0.0.1", /^cannot read .*none/);
});
