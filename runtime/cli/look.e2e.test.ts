import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { noAnswer } from "../cluster/introspection.js";
import { TestCluster, until } from "../cluster/testing.js";
import { counted, probe } from "../cluster/testing-actors.js";
import { keeper } from "../objects/testing-actors.js";
import { program, runCli } from "./testing.js";
import { type Top, top } from "./top.js";

describe("commands that look into a cluster", () => {
  let c: TestCluster;
  const undo: (() => unknown)[] = [];
  const cli = (...args: string[]) => runCli(c.cluster.file, ...args);
  before(async () => {
    c = await TestCluster.start({ after: (fn) => void undo.push(fn as () => unknown) });
  });
  after(async () => {
    for (const step of undo) await step();
  });

  it("inspect shows an actor's record, its calls in flight and what waits behind them", async () => {
    const p = await c.system.spawn(probe, { name: "holder", hosting: "process", cpus: 1, node: "n2" });
    const calls = [p.hold(), p.add(1), p.add(1)];
    await p.entered();
    const { status, stdout, stderr } = await cli("inspect", "holder");
    assert.equal(status, 0, stderr);
    assert.match(stdout, new RegExp(`^actor +holder \\(${p.id}\\)\ndefinition +test.probe\n`));
    assert.match(stdout, /^state +running on n2, process \d+, incarnation 1, 0 restarts\n/m);
    assert.match(stdout, /^needs +cpus 1, node n2\nowner +client k\w+\nlast failure +none\n/m);
    assert.match(stdout, /^mailbox +2 of 4,096\n/m);
    assert.match(stdout, /^IN FLIGHT +CALLER +AGE +DEADLINE IN\nhold +client k\w+ +[\d.]+ m?s +[\d.]+ m?s\n/m);
    assert.match(stdout, /^QUEUED +CALLS\nadd +2\n/m);

    const { actor, live, process: at, note } = JSON.parse((await cli("inspect", p.id, "--json")).stdout);
    assert.deepEqual([actor.name, live.queued, at.pid, note], ["holder", { add: 2 }, actor.pid, null]);
    await p.open();
    await Promise.all(calls);
  });

  it("inspect shows how an actor's incarnations ended", async () => {
    const p = await c.system.spawn(probe, { name: "crashed", hosting: "process", node: "n1", detached: true });
    p.crash.tell();
    await c.heard("actor-restarted", /^crashed/);
    const { stdout } = await cli("inspect", "crashed");
    assert.match(stdout, /^state +running on n1, process \d+, incarnation 2, 1 restart\n/m);
    assert.match(stdout, /^owner +nobody: it is detached\n/m);
    assert.match(
      stdout,
      /^LAST CRASHES \(UTC\) +INCARNATION +NODE +ERROR\n[\d-]{10} [\d:]{8} +1 +n1 +\[ACTOR_DIED\] the process of crashed.* ended with exit code 7\n/m,
    );
    const { actor } = JSON.parse((await cli("inspect", "crashed", "--json")).stdout);
    assert.deepEqual([actor.crashes.length, actor.crashes[0].epoch, actor.ownedBy], [1, 1, ""]);
    await c.system.stop(p);
  });

  it("inspect says before long that a process does not answer, and shows the record all the same", async () => {
    const p = await c.system.spawn(probe, { name: "frozen", hosting: "process" });
    const { pid } = c.actor(p.id);
    p.block.tell(60_000);
    try {
      const started = (await cli("inspect", "--help")).ms;
      const { status, stdout, ms } = await cli("inspect", "frozen");
      assert.equal(status, 0);
      assert.match(
        stdout,
        new RegExp(`^actor +frozen .*\nstate +running on n\\d, process ${pid}, .*\n${noAnswer}\n$`, "s"),
      );
      assert.ok(ms - started < 5_000, `${ms} ms, of them ${started} to start`);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  it("a node's metrics count the calls of its actors inline, in a thread and in a process, also after their end", async () => {
    const served = (text: string, method: string, code: string) => {
      const line = new RegExp(
        `^actors_calls_total\\{definition="test.counted",method="${method}",code="${code}"\\} (.+)$`,
        "m",
      );
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const scrape = async () => (await cli("metrics", "n2")).stdout;
    await until("the address of n2's metrics", () => c.node("n2").metrics !== "");
    const all = [];
    for (const hosting of ["inline", "thread", "process"] as const) {
      const p = await c.system.spawn(counted, { hosting, node: "n2" });
      for (let i = 0; i < 5; i++) await p.add(1);
      await assert.rejects(p.fail("by hand"));
      all.push(p);
    }
    const held = all[2]!.hold();
    await all[2]!.entered();
    const text = await scrape();
    assert.deepEqual([served(text, "add", "OK"), served(text, "fail", "USER_ERROR")], [15, 3], text);
    assert.match(text, /^actors_handler_seconds_bucket\{le="\+Inf",definition="test.counted",method="add"\} 15$/m);
    assert.match(text, /^actors_handler_seconds_count\{definition="test.counted",method="add"\} 15$/m);
    assert.match(text, /^actors_in_flight\{definition="test.counted"\} 1$/m);
    assert.match(text, /^actors_instances\{definition="test.counted",state="running"\} 3$/m);
    assert.match(text, /^actors_hosts [3-9]$/m);
    assert.match(text, /^actors_silent_hosts 0$/m);
    assert.match(text, /^process_cpu_seconds_total /m);
    assert.doesNotMatch(text, new RegExp(all.map(({ id }) => id).join("|")));

    await all[2]!.open();
    await held;
    all[2]!.crash.tell();
    await c.heard("actor-restarted", new RegExp(all[2]!.id));
    await all[2]!.add(1);
    await Promise.all(all.map((p) => c.system.stop(p)));
    const after = await scrape();
    assert.equal(served(after, "add", "OK"), 15, "what it counted until the scrape before its end stays");
    assert.match(after, /^actors_restarts_total\{definition="test.counted"\} 1$/m);
  });

  it("top tells once of nodes and the busiest actors, as JSON and as a table", async () => {
    const p = await c.system.spawn(probe, { name: "busy", hosting: "process", node: "n1" });
    const held = p.hold();
    await p.entered();
    const waiting = [p.add(1), p.add(1), p.add(1)];
    const { status, stdout, stderr } = await cli("top", "--once", "--json");
    assert.equal(status, 0, stderr);
    const { nodes, actors } = JSON.parse(stdout) as Top; // one object alone
    assert.deepEqual(
      nodes.map(({ id, state, silent }) => [id, state, silent]),
      [
        ["n1", "up", 0],
        ["n2", "up", 0],
      ],
    );
    assert.ok(nodes.every(({ rssBytes, lagMs, cpuPercent }) => rssBytes > 10e6 && lagMs !== null && cpuPercent >= 0));
    const { id, name, node, depth, inFlight, callsPerSecond, restarts } = actors[0]!;
    assert.deepEqual([id, name, node, depth, inFlight, callsPerSecond, restarts], [p.id, "busy", "n1", 3, 1, 0, 0]);
    const { stdout: table } = await cli("top");
    assert.match(table, /^2 nodes · \d+ actors? · [\d.]+ calls\/s\n\nNODE +STATE +CPU +MEMORY +ACTORS +CALLS\/S/);
    assert.match(table, new RegExp(`\nbusy +${p.id} +n1 +running +3 +1 +0 +0\n`));
    await p.open();
    await Promise.all([held, ...waiting]);
    await c.system.stop(p);
  });

  it("top draws on a terminal until Ctrl-C, and leaves nothing of itself on it", async () => {
    const ctrlC = new AbortController();
    let written = "";
    const draws = () => written.split("nodes · ").length - 1;
    const out = {
      isTTY: true,
      columns: 100,
      rows: 30,
      write(text: string) {
        written += text;
        if (draws() === 2) ctrlC.abort();
      },
    };
    await top(c.system, {}, { out, signal: ctrlC.signal });
    const [hidden, shown] = [written.indexOf("\x1b[?25l"), written.lastIndexOf("\x1b[?25h")];
    assert.ok(hidden >= 0 && shown > hidden, "the cursor is back");
    assert.ok(written.endsWith("\x1b[J\x1b[?25h"), "the table is erased");
    assert.equal(draws(), 2);
  });

  it("top repeats objects until the cluster or the signal ends it", async () => {
    const child = spawn(process.execPath, [program, "top", "--json"], {
      env: { ...process.env, ACTORS_CLUSTER: c.cluster.file },
    });
    const lines: Top[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines.push(JSON.parse(line) as Top) === 2) child.kill("SIGINT");
    }
    assert.equal(child.exitCode ?? (await once(child, "exit"))[0], 130);
    assert.ok(lines[1]!.at > lines[0]!.at);
  });

  it("objects lists who owns and who reads what", async () => {
    const p = await c.system.spawn(keeper, { hosting: "process", node: "n1" });
    const ref = await p.put(1 << 20, 1);
    const read = await c.system.get(ref);
    const { status, stdout, stderr } = await cli("objects", "--json");
    assert.equal(status, 0, stderr);
    const { objects, silent } = JSON.parse(stdout);
    assert.deepEqual(silent, []);
    const [{ id, owner, where, use, node, pid, readers }] = objects;
    assert.deepEqual([objects.length, id, owner, where, use, node], [1, ref.id, p.id, "memory", "put", "n1"]);
    assert.deepEqual([pid, readers], [await p.pid(), [{ node: "", pid: process.pid }]]);
    const row = new RegExp(
      `\\n${ref.id}  1.05 MB  memory  put  .*test.objects\\(${p.id}\\) on n1/${pid}  client/${process.pid}\\n`,
    );
    assert.match((await cli("objects")).stdout, row);
    assert.equal(read[0], 1);
    await c.system.stop(p);
  });

  it("metrics lists the addresses, prints JSON, and knows the nodes", async () => {
    const [first] = JSON.parse((await cli("metrics", "--json")).stdout);
    assert.deepEqual(first, { id: "n1", state: "up", metrics: c.node("n1").metrics });
    const { stdout } = await cli("metrics");
    assert.match(stdout, /^NODE {2}STATE {2}METRICS\nn1 {4}up {5}http:\/\/127.0.0.1:\d+\/metrics\n/);
    assert.match(stdout, new RegExp(`curl -s ${first.metrics}\n$`));
    const figures = JSON.parse((await cli("metrics", "n1", "--json")).stdout) as { name: string }[];
    assert.ok(figures.some(({ name }) => name === "actors_calls_total"));
    const wrong = await cli("metrics", "n7");
    assert.deepEqual(
      [wrong.status, wrong.stderr],
      [2, "actors: there is no node n7: did you mean n1?\n  Nodes: n1, n2.\n"],
    );
    assert.equal((await fetch(first.metrics.replace("/metrics", "/"))).status, 404);
  });

  it("trace shows where a call waits, across processes", async () => {
    const [from, to] = await c.system.spawnGroup(probe, 2, { hosting: "process" });
    const waiting = to!.hold();
    await to!.entered();
    const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const call = from!.holdOf.with({ trace: parent })(to!);
    await until("the call to wait", async () => (await c.system.introspection().actor(to!.id)).live!.depth === 1);
    const { status, stdout, stderr } = await cli("trace", "4bf92f35");
    assert.equal(status, 0, stderr);
    const pid = c.actor(from!.id).pid;
    assert.match(
      stdout,
      new RegExp(
        "^trace 4bf92f3577b34da6a3ce929d0e0e4736\n" +
          `holdOf on test.probe\\(${from!.id}\\) +[\\d.]+ m?s  runs on n\\d, process ${pid}, called by client k\\w+\n` +
          `└ hold on test.probe\\(${to!.id}\\) +[\\d.]+ m?s  waits in the mailbox: 0 before it, and hold has run for [\\d.]+ s\n$`,
      ),
    );
    const [trace] = JSON.parse((await cli("trace", parent, "--json")).stdout);
    assert.deepEqual([trace.calls.length, trace.calls[0].calls[0].method], [1, "hold"]);
    await to!.open();
    await waiting;
    await to!.entered();
    await to!.open();
    await call;
    assert.match((await cli("trace", "4bf92f35")).stdout, /^no traced call is in flight\n/);
    const wrong = await cli("trace", "the slow one");
    assert.match(wrong.stderr, /^actors: "the slow one" is no trace\n/);
    assert.equal(wrong.status, 2);
    await Promise.all([from!, to!].map((each) => c.system.stop(each)));
  });

  it("profile writes what an actor's thread runs, as speedscope reads it", async (t) => {
    const p = await c.system.spawn(probe, { name: "spinner", hosting: "thread" });
    const dir = mkdtempSync(joinPath(tmpdir(), "profile-"));
    t.after(() => rmSync(dir, { recursive: true }));
    const file = joinPath(dir, "spin.cpuprofile");
    let profiled = false;
    const spinning = (async () => {
      while (!profiled) await p.spin(100);
    })();
    const { status, stdout, stderr } = await cli("profile", "spinner", "--seconds", "1", "--out", file);
    profiled = true;
    await spinning;
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^SELF +FUNCTION +AT\n/);
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
    assert.ok(samples.length > 100 && samples.length === timeDeltas.length, `${samples.length}`);
    const busy = nodes.filter((node: { hitCount: number }) => node.hitCount > 100);
    const names = busy.map((node: { callFrame: { functionName: string } }) => node.callFrame.functionName);
    assert.ok(
      names.some((name: string) => name === "spin" || name === "#handle" || name === "now"),
      `${names}`,
    ); // V8 inlines
    const stopped = await cli("profile", "nobody");
    assert.equal(stopped.status, 2);
    await c.system.stop(p);
  });

  it("a wrong name is one sentence with the nearest match, a definition of several asks which", async () => {
    const typo = await cli("inspect", "frozne");
    assert.equal(
      typo.stderr,
      "actors: there is no actor frozne: did you mean frozen?\n  `actors ps -a` lists them by definition, name and id.\n",
    );
    assert.equal(typo.status, 2);
    const several = await cli("inspect", "test.probe");
    assert.match(
      several.stderr,
      /^actors: 2 actors are of test.probe: say which one by name or id\n {2}They are (holder|frozen) on n\d, /,
    );
    assert.equal(several.status, 2);
    assert.match((await cli("inspect")).stderr, /^actors: missing required argument 'ACTOR'\n/);
  });
});
