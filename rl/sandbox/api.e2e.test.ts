import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ActorSystem, localSystem } from "../../runtime/index.js";
import { sandboxActor } from "./actor.js";
import { SandboxClient } from "./client.js";
import type { ExecResult } from "./exec.js";
import { SandboxPool } from "./pool.js";
import type { Sandbox } from "./sandbox.js";
import { defaultLimits, type OutputChunk } from "./session.js";
import { backends, log, noBubblewrap, until } from "./testing.js";

const text = (r: ExecResult) => String(r.stdout);

for (const { backend, image, skip } of backends()) {
  describe(`the API on ${backend.name}`, { skip }, () => {
    const limits = { ...defaultLimits, memoryMb: 256 };
    const pool = new SandboxPool({ backend, limits, image, size: 3, log });
    before(() => pool.start());
    after(() => pool.close());
    const using = async (body: (sandbox: Sandbox) => Promise<void>) => {
      await using sandbox = await pool.acquire();
      await body(sandbox);
    };

    test("a command gets folder, variables and input", () =>
      using(async (sandbox) => {
        await sandbox.write({ path: "a/in", content: "x" });
        const options = { cwd: "a", env: { A: "1 2", PATH: "/bin:/usr/bin" }, stdin: "typed" };
        const result = await sandbox.exec('cat in; cat; echo " $A"; printf "\\377\\0" >&2; exit 3', options);
        assert.deepEqual([result.exitCode, text(result)], [3, "xtyped 1 2\n"]);
        assert.deepEqual([...result.stderr], [255, 0]);
        await assert.rejects(sandbox.exec(["no-such-program"]), { code: "NOT_FOUND", message: /no-such-program/ });
      }));

    test("output comes as it is written, leaving the loop kills the command, and the sandbox goes on", () =>
      using(async (sandbox) => {
        const live = sandbox.stream("echo one; read x; echo $x; read y", { tag: "talk", openStdin: true });
        assert.equal(Buffer.from(((await live.next()).value as OutputChunk).stdout).toString(), "one\n");
        assert.ok(await sandbox.input("talk", "two\n"));
        const second = await live.next();
        assert.equal(Buffer.from((second.value as OutputChunk).stdout).toString(), "two\n");
        assert.ok(await sandbox.kill("talk", "SIGINT"));
        const end = await live.next();
        assert.deepEqual([end.done, (end.value as ExecResult).signal], [true, "SIGINT"]);
        for await (const _ of sandbox.stream("echo $$ > pid; echo go; sleep 100")) break;
        await until(
          async () => !(await sandbox.exec("kill -0 $(cat pid)")).exitCode === false,
          "the end of the command",
        );
        assert.equal(await sandbox.kill("talk"), false);
      }));

    test("an aborted command is killed and the sandbox goes on", () =>
      using(async (sandbox) => {
        const running = sandbox.exec("sleep 100; echo late > late", { signal: AbortSignal.timeout(50) });
        await assert.rejects(running);
        assert.equal(text(await sandbox.exec("ls; echo fine")), "fine\n");
      }));

    test("what is cut from an output is whole in its log", () =>
      using(async (sandbox) => {
        const result = await sandbox.exec("seq 1 20000; echo e >&2", { maxOutput: 1_000 });
        assert.deepEqual([result.stdout.length, result.truncated, result.stderrLog], [1_000, true, null]);
        const compared = await sandbox.exec(`seq 1 20000 | cmp - ${result.stdoutLog}`);
        assert.equal(compared.exitCode, 0);
        assert.equal((await sandbox.list()).length, 0, "it is not in the workspace");
      }));

    test("a shell keeps folder, variables and background from command to command", () =>
      using(async (sandbox) => {
        const shell = sandbox.shell();
        const first = await shell.run(
          "mkdir -p 'd d'; cd 'd d'; export A=1; b=2; f() { echo f$1; }; sleep 100 & echo hi",
        );
        assert.deepEqual([text(first), first.exitCode], ["hi\n", 0]);
        assert.match(String(first.stderr), /^\[1\] \d+\n$/, "as on a terminal");
        assert.match(first.cwd, /\/d d$/);
        const second = await shell.run("echo $A $b; f 3; jobs -p | wc -l; cat; (exit 4)");
        assert.deepEqual([text(second), second.exitCode], ["1 2\nf3\n1\n", 4]);
        const other = await sandbox.shell("other").run('echo "[$b]"; nosuch');
        assert.deepEqual([text(other), other.exitCode], ["[]\n", 127]);
        assert.equal(String(other.stderr), "bash: nosuch: command not found\n");
        const long = `x=${"y".repeat(1 << 20)}; echo \${#x}`;
        assert.equal(text(await shell.run(long)), `${1 << 20}\n`);
        await assert.rejects(Promise.all([shell.run("sleep 0.2"), shell.run("true")]), { message: /EBUSY/ });
      }));

    test("what hangs in a shell ends at its time, and the shell lives, unless it refuses", () =>
      using(async (sandbox) => {
        const shell = sandbox.shell();
        await shell.run("x=kept; cd /");
        for (const hang of [
          "while :; do :; done",
          "sleep 100",
          "trap '' INT TERM; sleep 100",
          "sh -c \"trap '' INT; sleep 99\"",
        ]) {
          const hung = await shell.run(`echo begun; ${hang}`, { timeoutMs: 100 });
          assert.deepEqual([text(hung), hung.timedOut, hung.shellLost], ["begun\n", true, false], hang);
          const next = await shell.run("trap - INT TERM; echo $x $PWD");
          assert.equal(text(next), "kept /\n", hang);
        }
        const stubborn = await shell.run("trap '' INT; while :; do :; done", { timeoutMs: 50 });
        assert.deepEqual([stubborn.timedOut, stubborn.shellLost], [true, true]);
        assert.equal(text(await shell.run("echo [$x] $PWD")), "[] /\n");
        const left = await shell.run("echo bye; exit 7");
        assert.deepEqual([text(left), left.exitCode, left.shellLost], ["bye\n", 7, true]);
        const forever = shell.run("echo $$ > /tmp/ready 2>/dev/null; sleep 100", { timeoutMs: 60_000 });
        await until(() => shell.interrupt(), "a command to interrupt");
        assert.ok((await forever).exitCode >= 128);
        const spoof = await shell.run("exec 3>&1; exec 3>&-; printf '0 /x\\0' ; exit 9", { timeoutMs: 1_000 });
        assert.equal(spoof.exitCode, 9);
      }));

    test("files are listed, removed, patched, and travel as archives", () =>
      using(async (sandbox) => {
        await sandbox.write(
          { path: "d/f", content: "one\ntwo\n" },
          { path: "run", content: "#!/bin/sh\n", mode: 0o755 },
        );
        await sandbox.exec("ln -s f d/l");
        assert.deepEqual((await sandbox.list("d")).map(({ kind, name }) => `${kind} ${name}`).sort(), [
          "file f",
          "link l",
        ]);
        const diff = "--- a/d/f\n+++ b/d/f\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        await sandbox.patch(diff);
        assert.equal(String(await sandbox.read("d/f")), "one\nthree\n");
        await assert.rejects(sandbox.patch(diff), { code: "INVALID_ARGUMENT", message: /does not apply/ });
        const tar = await sandbox.download("d");
        await sandbox.upload(tar, "copy/of");
        assert.equal(text(await sandbox.exec("cat copy/of/l; test -x run")), "one\nthree\n");
        await sandbox.remove("d", "run", "none");
        assert.deepEqual(
          (await sandbox.list()).map(({ name }) => name),
          ["copy"],
        );
        await assert.rejects(sandbox.upload(Buffer.from("no archive")), { code: "INVALID_ARGUMENT" });
        await assert.rejects(sandbox.read("none"), { code: "NOT_FOUND" });
      }));

    test("a fork goes on from the same files and shells, and neither sees the other's later work", () =>
      using(async (sandbox) => {
        const shell = sandbox.shell();
        await sandbox.write({ path: "d/f", content: "base" });
        await shell.run("cd d; export A='a b'; f() { echo fn; }");
        await using fork = await sandbox.fork();
        assert.equal(text(await fork.shell().run('echo "$A"; f; cat f; echo fork > f; rm -f ../x')), "a b\nfn\nbase");
        assert.equal(text(await shell.run('echo "$A"; f; cat f; echo > g')), "a b\nfn\nbase");
        await using second = await fork.fork();
        assert.equal(text(await second.shell().run("cat f; ls")), "fork\nf\n");
        assert.equal(pool.stats().snapshots, 0);
      }));

    test("a template is made once, and each sandbox begins with a copy", async () => {
      const template = { files: [{ path: "f", content: "x" }], setup: "date +%N > made; mkdir -p sub; chmod 700 sub" };
      await using one = await pool.acquire({ template, files: [{ path: "own", content: "1" }] });
      await one.exec("echo more >> f");
      await using two = await pool.acquire({ template });
      assert.deepEqual(
        [String(await two.read("f")), String(await two.read("made"))],
        ["x", String(await one.read("made"))],
      );
      assert.deepEqual((await two.list()).map(({ name }) => name).sort(), ["f", "made", "sub"]);
      await assert.rejects(pool.template({ setup: "echo why >&2; exit 2" }), { message: /status 2: why/ });
    });

    test("a judgement sees the agent's files and its own, the agent sees neither those nor the judgement", () =>
      using(async (sandbox) => {
        await sandbox.exec(
          "echo 42 > answer; mkdir tests; ln -s /nowhere tests/deep; echo cheat > tests/check.sh; echo x > conftest.py",
        );
        await sandbox.shell().run("(while :; do echo 41 > answer; done) & sleep 0.05; kill %1; echo 42 > answer");
        const judged = await sandbox.evaluate({
          files: [
            { path: "tests/check.sh", content: "grep -q 42 answer && echo pass > report; ls" },
            { path: "tests/deep/data", content: "d" },
          ],
          remove: ["conftest.py"],
          command: "sh tests/check.sh; cat tests/deep/data",
          read: ["report", "none"],
        });
        assert.equal(text(judged), "answer\nreport\ntests\nd");
        assert.deepEqual([String(judged.files["report"]), judged.files["none"]], ["pass\n", null]);
        assert.equal(text(await sandbox.exec("cat tests/check.sh; ls")), "cheat\nanswer\nconftest.py\ntests\n");
      }));
  });
}

describe("the API through an actor", { skip: noBubblewrap() ?? false }, () => {
  let system: ActorSystem;
  let client: SandboxClient;
  before(async () => {
    system = await localSystem();
    client = new SandboxClient(await system.spawn(sandboxActor, { args: [{ size: 3, lifetimeMs: 60_000 }] }));
  });
  after(() => system.close());

  test("streams, shells, snapshots, templates and forks work from another process", async () => {
    const from = await client.template({ files: [{ path: "t", content: "T" }] });
    await using sandbox = await client.open({ from, files: [{ path: "own", content: "O" }] });
    let seen = "";
    for await (const { stdout } of sandbox.stream("cat t own; sleep 0.05; echo end")) seen += Buffer.from(stdout);
    assert.equal(seen, "TOend\n");
    for await (const _ of sandbox.stream("echo; sleep 100")) break;
    await sandbox.shell().run("cd /; A=1; export B=2");
    await using fork = await sandbox.fork();
    assert.equal(text(await fork.shell().run("echo $A$B $PWD")), "2 /\n");
    const snapshot = await fork.snapshot();
    await client.drop(snapshot);
    await assert.rejects(client.open({ from: snapshot }), { code: "NOT_FOUND" });
    await assert.rejects(sandbox.exec("sleep 100", { signal: AbortSignal.timeout(50) }));
    const judged = await sandbox.evaluate({ command: "cat t own" });
    assert.equal(text(judged), "TO");
  });
});
