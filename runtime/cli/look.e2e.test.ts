import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { noAnswer } from "../cluster/introspection.js";
import { TestCluster } from "../cluster/testing.js";
import { probe } from "../cluster/testing-actors.js";
import { runCli } from "./testing.js";

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
    assert.match(stdout, /^needs +cpus 1, node n2\nowner +client e\w+\nlast failure +none\n/m);
    assert.match(stdout, /^mailbox +2 of 4,096\n/m);
    assert.match(stdout, /^IN FLIGHT +CALLER +AGE +DEADLINE IN\nhold +client e\w+ +[\d.]+ m?s +[\d.]+ m?s\n/m);
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
    process.kill(pid, "SIGSTOP");
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
      process.kill(pid, "SIGCONT");
    }
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
