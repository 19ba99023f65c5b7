import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  applySetting,
  type Document,
  loadConfig,
  pickJob,
  readServers,
  readSpares,
  readTls,
  settleNodes,
} from "./config.js";
import type { Job } from "./job.js";
import { UsageError } from "./usage.js";

const cwd = mkdtempSync(join(tmpdir(), "cli-config-"));
after(() => rmSync(cwd, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.rawMessage;
  }
  return "accepted";
}

test("without a file the document is empty, and an empty file is an empty document", () => {
  assert.deepEqual(loadConfig(undefined, cwd), { document: {}, file: null });
  write("empty.yaml", "# nothing\n");
  assert.deepEqual(loadConfig("empty.yaml", cwd), { document: {}, file: join(cwd, "empty.yaml") });
});

test("a file that cannot be read or is no YAML is refused by name and line", async () => {
  assert.equal(await refusal(() => loadConfig("no.yaml", cwd)), "cannot read no.yaml: there is no such file");
  write("bad.yaml", "a: 1\nb: [1,\nc: 2\n");
  assert.match(await refusal(() => loadConfig("bad.yaml", cwd)), /^bad\.yaml:3:1: not valid YAML: /);
  write("twice.yaml", "a: 1\na: 2\n");
  assert.equal(
    await refusal(() => loadConfig("twice.yaml", cwd)),
    "twice.yaml:2:1: not valid YAML: Map keys must be unique",
  );
  write("list.yaml", "- 1\n");
  assert.match(await refusal(() => loadConfig("list.yaml", cwd)), /^list\.yaml must hold settings by name/);
});

test("--set makes sections, keeps their other keys, and reads values as YAML", () => {
  const document: Document = { trainer: { seed: 1, lr: 2 } };
  for (const setting of ["trainer.seed=7", "a.b.c=[1, x]", "name=", "url=http://h/?q=1", 'text="7"']) {
    applySetting(document, setting);
  }
  assert.deepEqual(document, {
    trainer: { seed: 7, lr: 2 },
    a: { b: { c: [1, "x"] } },
    name: null,
    url: "http://h/?q=1",
    text: "7",
  });
});

test("--set refuses what names no key, or goes through a value", async () => {
  const set = (setting: string) => refusal(() => applySetting({ a: 1 }, setting));
  assert.match(await set("novalue"), /^--set takes KEY=VALUE, such as trainer\.seed=7, not novalue$/);
  assert.match(await set("a..b=1"), /^--set takes KEY=VALUE/);
  assert.equal(await set("a.b.c=1"), "--set a.b.c=1: a is a value, not a section");
  assert.equal(await set("x=[1"), "--set x=[1: the value is not valid YAML");
});

test("--set of __proto__ is a key like any other", () => {
  const document: Document = {};
  applySetting(document, "__proto__.polluted=1");
  assert.equal(({} as Document)["polluted"], undefined);
  assert.ok(Object.hasOwn(document, "__proto__"));
});

test("the number of nodes comes from the flag, else the file, else it is four", async () => {
  assert.equal(settleNodes({}, undefined), 4);
  assert.equal(settleNodes({ cluster: { nodes: 3 } }, undefined), 3);
  const document: Document = { cluster: { nodes: 3 } };
  assert.equal(settleNodes(document, 4), 4);
  assert.deepEqual(document, { cluster: { nodes: 4 } });
  const nodes = (value: unknown) => refusal(() => settleNodes({ cluster: { nodes: value } }, undefined));
  assert.equal(await nodes("two"), 'cluster.nodes must be a whole number of at least 1, not "two"');
  assert.equal(await nodes(0), "cluster.nodes must be a whole number of at least 1, not 0");
});

test("recipe names a job or a module; what is neither is refused with the nearest name", async () => {
  const job = (name: string): Job => ({ name, describe: "", run: async () => ({ ok: true, summary: [] }) });
  const jobs = [job("quickstart"), job("other")];
  const pick = (recipe?: unknown) => {
    const document = recipe === undefined ? {} : { recipe };
    return pickJob(jobs, { document, file: join(cwd, "actors.yaml") }, "/");
  };
  assert.equal(await pick(), jobs[0]);
  assert.equal(await pick("other"), jobs[1]);
  assert.equal(await refusal(() => pick("quikstart")), 'there is no recipe "quikstart": did you mean quickstart?');
  assert.match(await refusal(() => pick("./none.js")), /^cannot load the recipe \.\/none\.js: there is no /);
  write("mine.mjs", "export default { name: 'mine', describe: '', run: async () => ({ ok: true, summary: [] }) };");
  assert.equal((await pick("./mine.mjs")).name, "mine");
  write("empty.mjs", "export default {};");
  assert.equal(await refusal(() => pick("./empty.mjs")), "the default export of ./empty.mjs is no job");
});

test("the number of spare processes is whole and not negative, or left to the cluster", async () => {
  assert.equal(readSpares({ cluster: { spares: 0 } }), 0);
  assert.equal(readSpares({}), undefined);
  assert.match(await refusal(() => readSpares({ cluster: { spares: -1 } })), /^cluster\.spares must be .*, not -1$/);
});

test("servers come from the flag, else from the file, and are 1, 3 or 5", async () => {
  assert.equal(readServers({}, undefined), 1);
  assert.equal(readServers({ cluster: { servers: 3 } }, undefined), 3);
  assert.equal(readServers({ cluster: { servers: 3 } }, 5), 5);
  assert.equal(
    await refusal(() => readServers({ cluster: { servers: 2 } }, undefined)),
    "cluster.servers must be 1, 3 or 5, not 2",
  );
  assert.equal(await refusal(() => readServers({}, 4)), "--servers must be 1, 3 or 5, not 4");
});

test("TLS is asked for by flag or file, or names three files, relative to the configuration", async () => {
  const read = (tls: unknown, flag?: boolean) =>
    readTls({ document: { cluster: { tls } }, file: "/etc/actors/train.yaml" }, flag, cwd);
  assert.equal(read(undefined), undefined);
  assert.equal(read(false), undefined);
  assert.equal(read(undefined, true), true);
  assert.equal(read(true), true);
  const files = { cert: "a.pem", key: "/b.pem", ca: "../c.pem" };
  assert.deepEqual(read(files), { cert: "/etc/actors/a.pem", key: "/b.pem", ca: "/etc/c.pem" });
  for (const bad of ["yes", 1, { cert: "a" }, { ...files, extra: 1 }])
    assert.match(await refusal(() => read(bad)), /^cluster\.tls must be true, or name three files/);
});
