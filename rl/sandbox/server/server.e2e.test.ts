import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { until } from "../testing.js";
import * as openhands from "./openhands.fixtures.js";
import { apiKey, type Served, serveForTest } from "./testing.js";
import { unzip, zip } from "./zip.js";

interface Runtime {
  runtime_id: string;
  url: string;
  session_api_key: string;
  status: string;
  workspace: string;
  pod_status: string;
}
interface Observed {
  observation: string;
  content: string;
  success?: boolean;
  extras: {
    metadata?: { exit_code: number; working_dir: string; suffix: string };
    path?: string;
    new_content?: string;
  };
}

let served: Served;
before(async () => {
  served = await serveForTest();
});
after(() => served[Symbol.asyncDispose]());

async function ask<T>(path: string, body?: object, headers: Record<string, string> = { "x-api-key": apiKey }) {
  const response = await fetch(new URL(path, served.url), {
    method: body ? "POST" : "GET",
    headers: { ...headers, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, answer: (await response.json()) as T & { detail?: string } };
}

const start = async (name: string) => (await ask<Runtime>("/start", openhands.start(name))).answer;
const stop = ({ runtime_id }: Runtime) => ask("/stop", { runtime_id });

/** An agent's hands on a runtime. */
function agentOf({ url, session_api_key }: Runtime) {
  const headers = { "x-session-api-key": session_api_key };
  return async (action: object): Promise<Observed> => {
    const { status, answer } = await ask<Observed>(`${url}/execute_action`, action, headers);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  };
}

test("nothing is told or done without the key, and it is no part of an answer", async () => {
  const runtime = await start("keys");
  for (const headers of [{}, { "x-api-key": "" }, { "x-api-key": `${apiKey}x` }] as Record<string, string>[]) {
    assert.equal((await ask("/list", undefined, headers)).status, 401);
    assert.equal((await ask("/start", openhands.start("x"), headers)).status, 401);
    assert.equal((await ask(`${runtime.url}/execute_action`, openhands.run("id"), headers)).status, 403);
  }
  const other = await start("keys 2");
  const wrong = { "x-session-api-key": other.session_api_key };
  assert.equal((await ask(`${runtime.url}/list_files`, {}, wrong)).status, 403);
  assert.equal((await fetch(`${runtime.url}/alive`)).status, 200);
  assert.ok(!JSON.stringify((await ask("/list")).answer).includes(apiKey));
  await stop(runtime);
  await stop(other);
});

test("a session starts once, is found by name, and is gone when it is stopped", async () => {
  const runtime = await start("one");
  assert.equal(runtime.status, "running");
  assert.equal((await start("one")).runtime_id, runtime.runtime_id);
  const found = (await ask<Runtime>("/sessions/one")).answer;
  assert.deepEqual([found.runtime_id, found.session_api_key], [runtime.runtime_id, runtime.session_api_key]);
  assert.equal((await ask<Runtime>(`/runtime/${runtime.runtime_id}`)).answer.pod_status, "ready");
  assert.equal((await ask<Runtime[]>("/sessions/batch?ids=one&ids=none")).answer.length, 1);
  assert.equal((await ask<{ runtimes: Runtime[] }>("/list")).answer.runtimes.length, 1);
  assert.deepEqual((await stop(runtime)).answer, { status: "success" });
  assert.equal((await ask("/sessions/one")).status, 404);
  assert.equal((await ask(`${runtime.url}/list_files`, {})).status, 404);
});

test("commands run in one shell, in OpenHands' shapes", async () => {
  const runtime = await start("shell");
  const act = agentOf(runtime);
  const first = await act(openhands.run('mkdir -p d && cd d && export A=1; echo "$GREETING"; echo err >&2'));
  assert.deepEqual([first.observation, first.content, first.success], ["run", "it's me\nerr", true]);
  assert.equal(first.extras.metadata?.exit_code, 0);
  assert.match(first.extras.metadata?.working_dir ?? "", /\/d$/);
  const second = await act(openhands.run("echo $A; (exit 3)"));
  assert.deepEqual([second.content, second.extras.metadata?.exit_code, second.success], ["1", 3, false]);
  await stop(runtime);
});

test("a command that takes long goes on, is read piece by piece, and is interrupted", async () => {
  const runtime = await start("long");
  const act = agentOf(runtime);
  const begun = await act(openhands.run("echo begun; read < /dev/zero; sleep 100", {}, 0.3));
  assert.equal(begun.extras.metadata?.exit_code, -1);
  assert.match(begun.extras.metadata?.suffix ?? "", /still runs/);
  assert.match((await act(openhands.run("echo other"))).extras.metadata?.suffix ?? "", /not started/);
  assert.match((await act(openhands.run("yes", { is_input: true }))).extras.metadata?.suffix ?? "", /no input/);
  const ended = await act(openhands.run("C-c", { is_input: true }));
  assert.equal(ended.extras.metadata?.exit_code, 130);
  assert.equal((await act(openhands.run("echo fine"))).content, "fine");
  await stop(runtime);
});

test("files are read, written and edited, and nothing outside of the workspace is", async () => {
  const runtime = await start("files");
  const act = agentOf(runtime);
  const at = (path: string) => `${runtime.workspace}/${path}`;
  assert.equal((await act(openhands.write(at("d/a.txt"), "one\ntwo"))).observation, "write");
  assert.equal((await act(openhands.read(at("d/a.txt")))).content, "one\ntwo\n");
  assert.equal((await act(openhands.read("d/a.txt", { start: 1 }))).content, "two\n");
  await act(openhands.write(at("d/a.txt"), "1.5", { start: 1, end: 1 }));
  assert.equal((await act(openhands.read(at("d/a.txt")))).content, "one\n1.5\ntwo\n");
  const edited = await act(openhands.edit(at("d/a.txt"), "str_replace", { old_str: "two", new_str: "2" }));
  assert.deepEqual([edited.observation, edited.extras.new_content], ["edit", "one\n1.5\n2\n"]);
  await act(openhands.edit(at("d/a.txt"), "undo_edit"));
  const viewed = await act(openhands.read(at("d/a.txt"), { impl_source: "oh_aci", view_range: [3, 3] }));
  assert.equal(viewed.content, "     3\ttwo");
  for (const bad of [
    openhands.read("/etc/passwd"),
    openhands.read(at("../../etc/passwd")),
    openhands.write(at("../x"), "x"),
    openhands.edit(at("none"), "str_replace", { old_str: "a", new_str: "b" }),
    openhands.ipython,
  ])
    assert.equal((await act(bad)).observation, "error", JSON.stringify(bad));
  await act(openhands.run(`ln -s /etc ${at("link")}`));
  assert.equal((await act(openhands.read(at("link/passwd")))).observation, "error");
  const { status, answer } = await ask(`${runtime.url}/execute_action`, {
    action: { action: "read", args: { path: 7 } },
  });
  assert.deepEqual([status, /action\.args\.path/.test(answer.detail ?? "")], [422, true]);
  await stop(runtime);
});

test("files go up and come down, one by one and packed", async () => {
  const runtime = await start("up");
  const { url, workspace, session_api_key } = runtime;
  const headers = { "x-session-api-key": session_api_key };
  const upload = async (bytes: Buffer, name: string, to: string, recursive: boolean) => {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(bytes)]), name);
    const query = `destination=${encodeURIComponent(to)}&recursive=${recursive}`;
    return (await fetch(`${url}/upload_file?${query}`, { method: "POST", body, headers })).status;
  };
  assert.equal(await upload(Buffer.from("hi"), "b.txt", `${workspace}/in`, false), 200);
  const packed = zip([{ path: "d/run.sh", content: Buffer.from("echo ran"), mode: 0o755 }]);
  assert.equal(await upload(packed, "d.zip", `${workspace}/in`, true), 200);
  assert.equal(await upload(zip([{ path: "../../x", content: packed, mode: 0 }]), "x.zip", workspace, true), 400);
  assert.equal(await upload(packed, "d.zip", "/etc", true), 400);
  const act = agentOf(runtime);
  assert.equal((await act(openhands.run("in/d/run.sh; cat in/b.txt"))).content, "ran\nhi");
  assert.deepEqual((await ask(`${url}/list_files`, { path: `${workspace}/in` })).answer, ["d/", "b.txt"]);
  assert.deepEqual((await ask(`${url}/list_files`, {})).answer, ["in/"]);
  assert.deepEqual((await ask(`${url}/list_files`, { path: "none" })).answer, []);
  const got = await fetch(`${url}/download_files?path=${workspace}/in`, { headers });
  const files = unzip(Buffer.from(await got.arrayBuffer()), 1 << 20);
  assert.deepEqual(files.map(({ path, content }) => [path, content.toString()]).sort(), [
    ["b.txt", "hi"],
    ["d/run.sh", "echo ran"],
  ]);
  assert.equal((await fetch(`${url}/download_files?path=${workspace}/none`, { headers })).status, 404);
  await stop(runtime);
});

test("a paused session frees its sandbox, and goes on where it was", async () => {
  const runtime = await start("paused");
  const { runtime_id, url } = runtime;
  const act = agentOf(runtime);
  await act(openhands.run("mkdir -p d && cd d && echo kept > f && export B=2"));
  assert.equal((await ask("/pause", { runtime_id })).status, 200);
  assert.equal(served.pool.stats().leased, 0);
  assert.equal((await ask<Runtime>("/sessions/paused")).answer.status, "paused");
  assert.equal((await ask(`${url}/execute_action`, openhands.run("id"))).status, 503);
  assert.equal((await ask("/resume", { runtime_id })).status, 200);
  const resumed = await act(openhands.run("cat f; echo $B; echo to stderr >&2"));
  assert.equal(resumed.content, "kept\n2\nto stderr");
  await ask("/pause", { runtime_id });
  await stop(runtime);
  assert.deepEqual([served.pool.stats().leased, served.pool.stats().snapshots], [0, 0]);
});

test("a session that nobody uses is stopped, and one beyond the pool is told to come again", async () => {
  await using own = await serveForTest({ idleMs: 200 }, 1);
  const at = (path: string) => new URL(path, own.url).href;
  const first = (await ask<Runtime>(at("/start"), openhands.start("idle"))).answer;
  await until(async () => (await ask(at(`/runtime/${first.runtime_id}`))).status === 404, "the end of the session");
  assert.equal(own.pool.stats().leased, 0);
});

test("bad requests are refused: too large, no JSON, no such image, a route that is none", async () => {
  const post = (path: string, body: string | Buffer) =>
    fetch(new URL(path, served.url), { method: "POST", body, headers: { "x-api-key": apiKey } });
  assert.equal((await post("/start", "{")).status, 422);
  assert.equal((await post("/start", "{}")).status, 422);
  assert.equal((await post("/nothing", "{}")).status, 404);
  assert.equal((await post("/sessions/%ff", "{}")).status, 400);
  const large = await post("/start", Buffer.alloc(33 << 20, 32)).then(
    ({ status }) => status,
    () => 413,
  );
  assert.equal(large, 413);
  await using strict = await serveForTest({ ignoreImage: false }, 1);
  const refused = await ask(new URL("/start", strict.url).href, openhands.start("image"));
  assert.deepEqual([refused.status, /has no images/.test(refused.answer.detail ?? "")], [400, true]);
  // Half a request neither holds the server nor crashes it.
  const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write("POST /start HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  socket.destroy();
  assert.equal((await ask("/list")).status, 200);
});
