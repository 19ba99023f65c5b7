import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SandboxProcess } from "./channel.js";
import { probe } from "./probe.js";
import { defaultLimits, type SandboxLimits } from "./session.js";
import { backends, errno, file, out, sh, until } from "./testing.js";

const limits: SandboxLimits = { ...defaultLimits, memoryMb: 64, processes: 24, diskMb: 8 };

for (const { backend, image, skip } of backends()) {
  const isolated = backend.name !== "process";
  const using = async (body: (sandbox: SandboxProcess) => Promise<void>) => {
    const sandbox = await backend.start(limits, image);
    try {
      await body(sandbox);
    } finally {
      await sandbox.end();
    }
  };

  describe(backend.name, { skip }, () => {
    test("files are written, read and listed, and the first failure stops the rest", () =>
      using(async (sandbox) => {
        const reset = { reset: { files: [file("a/b/c", "hello"), file("run", "#!/bin/sh\necho $0", 0o755)] } };
        const results = await sandbox.run([
          reset,
          { read: "a/b/c" },
          { list: "" },
          { list: "a" },
          { read: "no" },
          { read: "run" },
        ]);
        assert.deepEqual(results.map(errno), ["ok", "ok", "ok", "ok", "ENOENT"]);
        assert.equal(out(results[1]), "hello");
        assert.deepEqual(results[2]?.names.sort(), ["a", "run"]);
        const [ran] = await sandbox.run([{ exec: { argv: ["./run"] } }]);
        assert.equal(out(ran), "./run\n");
      }));

    test("a command gets its input, and its output, status and signal come back", () =>
      using(async (sandbox) => {
        const input = new Uint8Array(300_000).fill(65);
        const [echoed, failed, killed, missing] = await sandbox.run([
          { exec: { argv: ["cat"], stdin: input, maxOutput: 1 << 20 } },
          sh("echo out; echo err >&2; exit 3"),
          sh("kill -SEGV $$"),
          { exec: { argv: ["no-such-program"] } },
        ]);
        assert.deepEqual(Buffer.from(echoed?.data as Uint8Array), Buffer.from(input));
        assert.equal(failed?.exitCode, 3);
        assert.equal(out(failed), "out\n");
        assert.equal(Buffer.from(failed?.stderr as Uint8Array).toString(), "err\n");
        assert.deepEqual([killed?.ok, killed?.exitCode, killed?.signal], [true, -1, "SIGSEGV"]);
        assert.equal(errno(missing), "ENOENT");
      }));

    test("neither .. nor a symbolic link leads out of the workspace", () =>
      using(async (sandbox) => {
        await sandbox.run([
          sh("ln -s /etc out; ln -s /etc/passwd secret; ln -s .. up; mkdir in; ln -s in alias; echo x > in/f"),
        ]);
        for (const path of [
          "../x",
          "/etc/passwd",
          "out/passwd",
          "secret",
          "up/etc/passwd",
          "in/../../x",
          "/proc/self/root/etc",
        ]) {
          const [read] = await sandbox.run([{ read: path }]);
          assert.equal(errno(read), "EXDEV", path);
          const [listed] = await sandbox.run([{ list: path }]);
          assert.notEqual(errno(listed), "ok", path);
        }
        for (const path of ["../x", "/tmp/x", "out/x", "up/x", "..", ".", ""]) {
          const [written] = await sandbox.run([{ write: file(path, "x") }]);
          assert.notEqual(errno(written), "ok", path);
        }
        const [inside] = await sandbox.run([{ read: "alias/f" }]);
        assert.equal(out(inside), "x\n", "links within the workspace work");
      }));

    test("a link, a pipe or a second name in the way of a write is replaced, not followed", () =>
      using(async (sandbox) => {
        await sandbox.run([
          sh("echo keep > target; ln -s target link; mkfifo pipe; ln target twin; echo x > locked; chmod 0 locked"),
        ]);
        for (const path of ["link", "pipe", "twin", "locked"]) {
          const [written, read] = await sandbox.run([{ write: file(path, "new") }, { read: path }]);
          assert.equal(errno(written), "ok", path);
          assert.equal(out(read), "new", path);
        }
        const [target] = await sandbox.run([{ read: "target" }]);
        assert.equal(out(target), "keep\n");
      }));

    test("pipes, devices and sparse giants neither hang a read nor fill memory", () =>
      using(async (sandbox) => {
        await sandbox.run([sh("mkfifo pipe; truncate -s 8M sparse")]);
        const [pipe] = await sandbox.run([{ read: "pipe" }]);
        assert.equal(errno(pipe), "EINVAL");
        const [sparse] = await sandbox.run([{ read: "sparse" }]);
        assert.equal(sparse?.data.length, 8 << 20);
        const [giant] = await sandbox.run([sh("truncate -s 1T giant")]);
        assert.notEqual(giant?.exitCode, 0);
      }));

    test("a hung command dies within its deadline with all its group, and the sandbox goes on", () =>
      using(async (sandbox) => {
        const begin = performance.now();
        const [hung] = await sandbox.run([sh("trap '' TERM INT; echo begun; sleep 100 & sleep 100", 200)]);
        assert.ok(performance.now() - begin < 2_000);
        assert.deepEqual([hung?.ok, hung?.timedOut, hung?.exitCode, hung?.signal], [true, true, -1, "SIGKILL"]);
        assert.equal(out(hung), "begun\n");
        const [next] = await sandbox.run([sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 10[0]'")]);
        assert.equal(out(next), "0\n");
      }));

    test("endless output is cut at its bound and flagged", () =>
      using(async (sandbox) => {
        const [flood] = await sandbox.run([{ exec: { argv: ["yes"], timeoutMs: 300, maxOutput: 1_000 } }]);
        assert.deepEqual([flood?.data.length, flood?.truncated, flood?.timedOut], [1_000, true, true]);
      }));

    test("a daemon that left its group holds nothing up and is gone after a reset", () =>
      using(async (sandbox) => {
        const begin = performance.now();
        const daemon =
          "(setsid sh -c 'echo $$ > pid; while :; do date > alive; sleep 0.01; done' &) ; until [ -s pid ]; do :; done";
        const [started, pid] = await sandbox.run([sh(daemon), { read: "pid" }]);
        assert.equal(started?.exitCode, 0);
        assert.ok(performance.now() - begin < 3_000);
        const [emptied, listed, alive] = await sandbox.run([
          { reset: {} },
          { list: "" },
          sh(`kill -0 ${out(pid).trim()}`),
        ]);
        assert.ok(emptied?.ok);
        assert.deepEqual(listed?.names, []);
        assert.notEqual(alive?.exitCode, 0);
      }));

    test("a reset leaves no file, however deep, locked or oddly named", () =>
      using(async (sandbox) => {
        const deep = `mkdir -p ${"d/".repeat(300)}; echo x > ${"d/".repeat(300)}f`;
        const odd =
          "mkdir locked; echo x > locked/f; chmod 0 locked; mkdir ro; echo x > ro/f; chmod 555 ro; touch -- -rf ' ' 'a\nb' .hidden";
        const [dug, made] = await sandbox.run([sh(deep), sh(odd)]);
        assert.deepEqual([dug?.exitCode, made?.exitCode], [0, 0]);
        const [emptied, listed] = await sandbox.run([{ reset: { files: [file("fresh")] } }, { list: "" }]);
        assert.equal(emptied?.error, "");
        assert.deepEqual(listed?.names, ["fresh"]);
      }));

    test("a fork bomb is bounded and ends with the command's time", () =>
      using(async (sandbox) => {
        const [bomb] = await sandbox.run([sh("b() { b & b & wait; }; b", 500)]);
        assert.ok(bomb?.ok);
        const [emptied, next] = await sandbox.run([{ reset: {} }, sh("echo fine")], { timeoutMs: 20_000 });
        assert.ok(emptied?.ok);
        assert.equal(out(next), "fine\n");
      }));

    test("memory and file size are bounded", () =>
      using(async (sandbox) => {
        const [hog] = await sandbox.run([sh("head -c 200000000 /dev/zero | tail -c 190000000 | wc -c")]);
        assert.notEqual(out(hog), "190000000\n");
        const [big] = await sandbox.run([sh("head -c 20000000 /dev/zero > big; wc -c < big")]);
        assert.ok(Number(out(big)) <= limits.diskMb << 20);
        const [next] = await sandbox.run([{ reset: {} }]);
        assert.ok(next?.ok);
      }));

    test("nothing of the host's environment comes in", () =>
      using(async (sandbox) => {
        process.env["ACTORS_TEST_SECRET"] = "s3cret";
        const [env] = await sandbox.run([sh("env; cat /proc/1/cmdline /proc/1/environ 2>/dev/null | tr '\\0' ' '")]);
        assert.doesNotMatch(out(env), /s3cret/);
        if (isolated) assert.doesNotMatch(out(env), /home|native|bwrap/);
      }));

    test("the sandbox's init cannot be traced, read or, in its own namespace, killed from inside", () =>
      using(async (sandbox) => {
        const init = isolated ? 1 : sandbox.pid;
        const [peeked, memory] = await sandbox.run([sh(`ls -l /proc/${init}/fd`), sh(`head -c 1 /proc/${init}/mem`)]);
        assert.notEqual(peeked?.exitCode, 0);
        assert.notEqual(memory?.exitCode, 0);
        if (!isolated) return;
        const [shot] = await sandbox.run([sh("kill -9 1; kill -9 -1; echo no")]);
        assert.ok(shot?.ok);
        assert.ok(sandbox.alive);
      }));

    const shared =
      !isolated && process.getuid?.() !== 0 && "without root its sandboxes share one user, as its caveat says";
    test("two sandboxes see nothing of each other", { skip: shared }, () =>
      using((one) => using((two) => strangers(one, two))),
    );

    const strangers = async (one: SandboxProcess, two: SandboxProcess) => {
      await one.run([
        { write: file("mine", "secret") },
        sh("(setsid sleep 77 &); echo x > $TMPDIR/leak; mkdir -p /dev/shm/leak; true"),
      ]);
      const [where] = await one.run([sh("pwd")]);
      const [files, others, signal] = await two.run([
        sh(isolated ? "find / -name leak -o -name mine 2>/dev/null | grep -v ^/proc" : `cat ${out(where).trim()}/mine`),
        sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 7[7]'"),
        sh(`kill -9 ${one.pid}`),
      ]);
      assert.equal(out(files), "");
      if (isolated) assert.equal(out(others), "0\n");
      assert.notEqual(signal?.exitCode, 0);
      assert.ok(one.alive);
      await one.run([sh("rmdir /dev/shm/leak")]); // the host's own, where nothing isolates it
    };

    test("the self-test proves what this backend claims", async () => {
      const { proven, missing } = await probe(backend, defaultLimits, image);
      const always = ["memory", "namespaces", "sysctl"].filter(
        (name) => isolated || process.getuid?.() === 0 || name === "memory",
      );
      for (const name of always) assert.ok(proven.includes(name), `${name}: ${missing}`);
      if (!isolated) return assert.ok(missing.some((text) => text.startsWith("files ")));
      for (const name of ["network", "processes-hidden", "signals", "files", "pids", "disk"])
        assert.ok(proven.includes(name), `${name}: ${missing}`);
      assert.deepEqual(missing, []);
    });

    test("a sandbox killed with a call in flight is a retryable error that says so", () =>
      using(async (sandbox) => {
        const call = sandbox.run([sh("sleep 50")]);
        sandbox.kill();
        await assert.rejects(call, { code: "UNAVAILABLE", retryable: true, message: /is lost/ });
        await assert.rejects(sandbox.run([{ read: "x" }]), { code: "UNAVAILABLE", retryable: true });
        await until(() => !sandbox.alive, "the end");
      }));

    test("a call past its deadline fails and takes the sandbox with it, for its answer may be anyone's", () =>
      using(async (sandbox) => {
        await assert.rejects(sandbox.run([sh("sleep 50", 60_000)], { timeoutMs: 100 }), { code: "DEADLINE_EXCEEDED" });
        assert.ok(!sandbox.alive);
      }));
  });
}
