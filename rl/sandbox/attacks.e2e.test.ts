// What an agent may try, on each backend that claims to hold it; docs/guides/sandboxes.md has the table. Floods, forks, hangs
// and the file API are in sandbox.e2e.test.ts, shells and judgements in api.e2e.test.ts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { isAlive } from "../../runtime/core/claim.js";
import { Cgroups } from "./cgroup.js";
import { ContainerBackend } from "./container.js";
import { SandboxPool } from "./pool.js";
import type { Sandbox } from "./sandbox.js";
import { defaultLimits } from "./session.js";
import { backends, log, until } from "./testing.js";

interface Attack {
  name: string;
  /** Prints what it got; nothing, or what `harmless` says, is a failure of the attack. */
  script: string;
  /** Why the process backend does not hold it; without, it does. */
  process?: "shares the host's files" | "shares the host's processes" | "has no file system of its own" | "needs root";
}

const secret = "s3cret-0451";
/** Tries x86-64 system calls, and names those that worked. perl is part of every Debian. */
const calls = (table: Record<string, string>, before = "") =>
  `perl -e '${before}${Object.entries(table)
    .map(([name, args]) => `print "${name}\n" if syscall(${args}) != -1;`)
    .join("")}'`;

const attacks = (folder: string, port: number): Attack[] => [
  { name: "reads a file of the host", script: `cat ${folder}/secret /etc/shadow`, process: "shares the host's files" },
  {
    name: "reads through /proc/self/root",
    script: `cat /proc/self/root${folder}/secret`,
    process: "shares the host's files",
  },
  {
    name: "reads through /proc/1",
    script: `cat /proc/1/root${folder}/secret /proc/1/environ /proc/1/mem | tr '\\0' '\\n'`,
  },
  {
    name: "finds the owner's environment",
    script: `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -e ${secret} -e TOKEN`,
  },
  {
    name: "finds a token on a command line",
    script: `cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -e ${secret.replace("s", "[s]")} -e attacks[.]e2e`,
    process: "shares the host's processes",
  },
  { name: "writes to the host through a link", script: `ln -s ${folder} l; echo x > l/written; ls ${folder}/written` },
  { name: "links a file of the host", script: `ln ${folder}/secret hard && cat hard; ln /etc/passwd p && echo linked` },
  { name: "writes through /proc/self/root", script: `echo x > /proc/self/root${folder}/written; ls ${folder}/written` },
  { name: "climbs out with ..", script: `echo x > ../../../../..${folder}/written; ls ${folder}/written` },
  {
    name: "changes programs",
    script: "touch /usr/bin/x /bin/x && echo touched; for f in /usr /etc /lib; do [ -w $f ] && echo $f; done; true",
  },
  {
    name: "connects to the host's loopback",
    script: `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`,
    process: "needs root",
  },
  {
    name: "asks the metadata address",
    script: "timeout 1 bash -c 'exec 3<>/dev/tcp/169.254.169.254/80' && echo connected",
    process: "needs root",
  },
  {
    name: "reaches the network",
    script: "timeout 1 bash -c 'exec 3<>/dev/tcp/1.1.1.1/53' && echo connected; cat /proc/net/route | tail -n +2",
    process: "needs root",
  },
  {
    name: "looks for interfaces",
    script: "ls /proc/self/net/dev > /dev/null && grep : /proc/self/net/dev | grep -v '^ *lo:'",
    process: "needs root",
  },
  { name: "mounts", script: "mkdir -p m; mount -t tmpfs t m && echo mounted; mount --bind / m && echo bound" },
  { name: "makes a user namespace", script: "unshare -Ur true && echo unshared" },
  {
    name: "calls mount, unshare, setns itself",
    script: calls({ mount: '165, "t", "/tmp", "tmpfs", 0, 0', unshare: "272, 0x10000000", setns: "308, 0, 0" }),
  },
  {
    name: "traces another process",
    script: calls({ child: "101, 16, $p, 0, 0", init: "101, 16, 1, 0, 0" }, "if (!($p = fork)) { sleep 9; exit } "),
  },
  {
    name: "loads bpf, opens perf, io_uring, keys",
    script: calls({ bpf: "321, 0, 0, 0", perf: "298, 0, 0, -1, -1, 0", io_uring: "425, 8, 0", keys: "250, 0, -3, 1" }),
  },
  {
    name: "gains rights by a setuid program",
    script:
      "grep -v 1 <(grep NoNewPrivs /proc/self/status); cp /usr/bin/id i; chmod 4755 i; [ $(./i -u) = $(id -u) ] || echo gained; su -c 'echo su' </dev/null; [ $(id -u) = 0 ] && grep CapEff /proc/self/status | grep -v 0000000000000000",
  },
  {
    name: "opens a raw device",
    script:
      "mknod b b 8 0 && echo made; for d in /dev/vda /dev/sda /dev/mem /dev/kmem /dev/kmsg /dev/port; do head -c1 $d >/dev/null && echo $d; done; true",
  },
  {
    name: "writes kernel settings",
    script:
      "for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/cgroup.procs; do ( echo > $f ) && echo $f; done; true",
  },
  {
    name: "signals its supervisor and all others",
    script: `kill -9 ${process.pid} && echo shot; kill -9 1 && ! kill -0 $$ && echo shot; kill -STOP 1; true`,
  },
  {
    name: "sets the clock",
    script: `date -s 2001-01-01 > /dev/null && echo set; ${calls({ settime: '227, 0, pack("qq", 1, 1)' })}`,
  },
  {
    name: "fills shared memory",
    script:
      "head -c 200000000 /dev/zero > /dev/shm/x; s=$(stat -c %s /dev/shm/x); [ 0$s -gt 40000000 ] && echo $s; rm -f /dev/shm/x",
  },
  {
    name: "fills the disk with many files",
    script:
      "for i in 1 2 3 4 5 6; do head -c 3000000 /dev/zero > f$i; done; s=$(du -sk . | cut -f1); [ $s -gt 9000 ] && echo $s",
    process: "has no file system of its own",
  },
  {
    name: "raises its limits",
    script:
      "ulimit -Hu 1000 && echo processes; ulimit -Hd unlimited && echo memory; ulimit -Hf unlimited && echo files",
  },
  {
    name: "makes its priority better",
    script: "nice -n -5 true 2>&1 | grep -q 'cannot set' || echo nicer; chrt -f 1 true && echo realtime",
  },
  {
    name: "talks to the host over abstract sockets",
    script: `grep -a @actors-attack /proc/net/unix`,
    process: "needs root",
  },
];

for (const { backend, image, skip } of backends()) {
  describe(`attacks on ${backend.name}`, { skip }, () => {
    const limits = { ...defaultLimits, memoryMb: 128, processes: 32, diskMb: 8 };
    const pool = new SandboxPool({ backend, limits, image, size: 2, log });
    const folder = mkdtempSync(join(tmpdir(), "actors-attack-"));
    const servers: Server[] = [];
    let sandbox: Sandbox;

    before(async () => {
      process.env["ACTORS_NATS_TOKEN"] = secret;
      writeFileSync(join(folder, "secret"), secret, { mode: 0o644 });
      for (const where of [{ host: "127.0.0.1", port: 0 }, { path: `\0actors-attack-${backend.name}` }]) {
        const server = createServer((socket) => socket.destroy()).listen(where);
        servers.push(server);
        await once(server, "listening");
      }
      await pool.start();
      sandbox = await pool.acquire();
    });
    after(async () => {
      delete process.env["ACTORS_NATS_TOKEN"];
      for (const server of servers) server.close();
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const isRoot = process.getuid?.() === 0;
    // The list needs the server's port, and the tests their names before it listens.
    for (const [index, { name, process: open }] of attacks("", 0).entries()) {
      const unclaimed =
        backend.name === "process" && open && (open !== "needs root" || !isRoot) && `this backend ${open}`;
      test(name, { skip: unclaimed || false }, async () => {
        const { port } = (servers[0] as Server).address() as { port: number };
        const script = attacks(folder, port)[index]?.script ?? "";
        const result = await sandbox.exec(script, { timeoutMs: 5_000 });
        assert.equal(String(result.stdout), "", `got ${result.stdout}`);
        assert.ok(!existsSync(join(folder, "written")));
        assert.equal(result.timedOut, false);
      });
    }

    test("many processes take no more memory together than their group has", async (t) => {
      const cgroups = await Cgroups.find();
      if (!cgroups?.controllers.includes("memory")) return t.skip("no control group can be made here");
      // 8 of 90 MB each (Perl makes the text twice), where 2 x 128 + 8 + 96 are allowed; each says when it has all.
      const hog = `perl -e '$x = "x" x 45e6; print "got\\n"; sleep 1'`;
      assert.equal(String((await sandbox.exec(hog)).stdout), "got\n", "one alone gets it");
      const { stdout } = await sandbox.exec(`for i in 1 2 3 4 5 6 7 8; do ${hog} & done; wait`, { timeoutMs: 8_000 });
      const got = String(stdout).split("got").length - 1;
      assert.ok(got <= 4, `${got} of 8 had their memory at the same time`);
      assert.equal(String((await sandbox.exec("echo alive")).stdout), "alive\n");
      const folder = `/sys/fs/cgroup/memory`;
      if (existsSync(folder))
        assert.ok(readdirSync(folder).every((name) => isOwn(name) || isAlive(Number(name.split("-")[2]))));
    });

    test("all processes together take no more of the CPU than their share", async (t) => {
      if (backend instanceof ContainerBackend) return t.skip("the engine's group, which only it can name");
      const cgroups = await Cgroups.find();
      if (!cgroups?.controllers.includes("cpu")) return t.skip("no control group can be made here");
      const narrow = new SandboxPool({ backend, limits: { ...limits, cpus: 0.1 }, size: 1, log });
      await narrow.start();
      try {
        await using busy = await narrow.acquire();
        await busy.exec("for i in 1 2; do (while :; do :; done) & done; sleep 0.5; kill $(jobs -p)");
        const throttled = /nr_throttled (\d+)/.exec(await cgroups.cpuStat(busy.id));
        assert.ok(Number(throttled?.[1]) > 0, "it was held back");
      } finally {
        await narrow.close();
      }
    });

    test("a bomb of an archive fills its own workspace at most, and paths in it lead nowhere", async () => {
      await using bombed = await pool.acquire();
      await assert.rejects(bombed.upload(bomb(16 << 20)), { code: "INVALID_ARGUMENT" });
      const slip = tar("../../../../../../tmp/slipped", "x");
      await bombed.upload(slip).catch(() => {});
      assert.ok(!existsSync("/tmp/slipped"));
      await bombed.remove("bomb");
      assert.equal(String((await bombed.exec("echo alive")).stdout), "alive\n");
    });

    test("what one agent left is nowhere in the next one's sandbox", async () => {
      const first = await pool.acquire();
      await first.exec(
        "echo mine > f; echo mine > /tmp/mine-0451; (setsid sleep 451 &); mkdir -p $HOME/.config; ipcmk -M 64",
      );
      const { id } = first;
      await first.release();
      await using next = await pool.acquire();
      assert.equal(next.id, id);
      const left = await next.exec(
        "ls -A . $HOME /tmp/mine-0451; ipcs -m | grep 0x; ps ax 2>/dev/null | grep 'sleep 45[1]'",
      );
      if (backend.name !== "process")
        assert.equal(
          String(left.stdout)
            .replaceAll(/^\S+:$/gm, "")
            .trim(),
          "",
        );
      assert.deepEqual(await next.list(), []);
    });

    test("one that sleeps for ever is ended with its lease", async () => {
      const sleeper = await pool.acquire();
      const asleep = assert.rejects(sleeper.exec("trap '' TERM INT; sleep 1000", { timeoutMs: 600_000 }), {
        code: "UNAVAILABLE",
      });
      await until(() => pool.stats().leased === 2, "the lease");
      await pool.close();
      await asleep;
    });
  });
}

const isOwn = (name: string) =>
  !name.startsWith("actors-sandbox-") || name.startsWith(`actors-sandbox-${process.pid}-`);

/** One file of a tar archive. */
function tar(path: string, content: Uint8Array | string): Buffer {
  const head = Buffer.alloc(512);
  head.write(path);
  head.write(
    `0000644\0${"0000000\0".repeat(2)}${content.length.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0        0`,
    100,
  );
  head.write("ustar\x0000", 257);
  const sum = head.reduce((a, b) => a + b, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.set(Buffer.from(content));
  return Buffer.concat([head, body, Buffer.alloc(1024)]);
}

const bomb = (size: number) => gzipSync(tar("bomb", Buffer.alloc(size)), { level: 1 });
