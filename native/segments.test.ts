import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import {
  closeReader,
  copyBytesNow,
  createSegment,
  dropSegment,
  lockSegment,
  mapSegment,
  openSegment,
  prepareRead,
  startRead,
  unlockSegment,
} from "./index.js";
import { failsWith } from "./test/helpers.js";

const index = new URL("./index.js", import.meta.url).href;
const pathOf = (descriptor: number, pid = process.pid) => `/proc/${pid}/fd/${descriptor}`;

/** A process that runs the script, prints one line and waits to be killed. */
async function other(script: string) {
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", `import * as n from "${index}"; ${script}; setInterval(() => {}, 1e9);`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    line: line.toString().trim(),
    pid: child.pid!,
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("segments", () => {
  it("another process sees what the owner writes; what a reader writes stays its own", () => {
    const segment = createSegment(8192);
    const bytes = new Uint8Array(segment.buffer);
    bytes[5000] = 7;
    const mapped = new Uint8Array(mapSegment(pathOf(segment.descriptor))!);
    assert.equal(mapped[5000], 7);
    mapped[0] = 9;
    bytes[5001] = 8;
    assert.deepEqual([bytes[0], mapped[5001]], [0, 8]);
    dropSegment(segment);
  });

  it("copies what is larger than a cache whole, wherever it begins and ends", () => {
    const from = Buffer.alloc((33 << 20) + 77);
    for (let i = 0; i < from.length; i += 4093) from[i] = i % 251;
    from.fill(5, from.length - 80);
    const to = Buffer.alloc(from.length + 16, 9);
    copyBytesNow(to.subarray(3), from);
    assert.ok(from.equals(to.subarray(3, 3 + from.length)));
    assert.deepEqual([...to.subarray(0, 3), ...to.subarray(3 + from.length)], Array(16).fill(9));
  });

  it("the owner's SIGKILL leaves a reader its memory, and no name to open it by", async () => {
    const owner = await other(
      "const s = n.createSegment(4096); new Uint8Array(s.buffer).fill(3); console.log(s.descriptor)",
    );
    const path = pathOf(Number(owner.line), owner.pid);
    const mapped = new Uint8Array(mapSegment(path)!);
    await owner.kill();
    assert.ok(mapped.every((byte) => byte === 3));
    await failsWith("IO", /could not inspect .*No such file/, () => mapSegment(path));
  });

  it("the exclusive lock is for when nobody reads; a killed reader reads no more", async () => {
    const segment = createSegment(4096);
    assert.ok(lockSegment(segment.descriptor));
    assert.equal(mapSegment(pathOf(segment.descriptor)), null, "its owner is taking it");
    unlockSegment(segment.descriptor);
    const reader = await other(
      `globalThis.m = n.mapSegment("${pathOf(segment.descriptor)}"); console.log(m.byteLength)`,
    );
    assert.equal(reader.line, "4096");
    assert.equal(lockSegment(segment.descriptor), false);
    await reader.kill();
    assert.ok(lockSegment(segment.descriptor));
    dropSegment(segment);
  });

  it("a buffer that is only prepared keeps nobody from the segment; one that is read does", () => {
    const segment = createSegment(4096);
    new Uint8Array(segment.buffer)[7] = 3;
    const reader = openSegment(pathOf(segment.descriptor))!;
    const buffer = prepareRead(reader)!;
    assert.equal(prepareRead(reader), null, "one at a time");
    assert.ok(lockSegment(segment.descriptor));
    assert.equal(startRead(reader), false, "its owner is taking it");
    unlockSegment(segment.descriptor);
    assert.ok(startRead(reader));
    assert.equal(new Uint8Array(buffer)[7], 3);
    assert.equal(lockSegment(segment.descriptor), false);
    assert.ok(prepareRead(reader), "for the next one");
    assert.equal(startRead(reader), false, "the first is read");
    assert.equal(closeReader(reader), false);
    dropSegment(segment);
    assert.equal(new Uint8Array(buffer)[7], 3, "whole for who reads it");
  });

  it("a dropped segment is empty for whoever opens it later, and detached here", () => {
    const segment = createSegment(4096);
    dropSegment(segment);
    assert.equal(segment.buffer.byteLength, 0);
    assert.throws(() => mapSegment(pathOf(segment.descriptor)));
  });

  it("refuses what is no segment, without waiting for it", async (t) => {
    const server = createServer().listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const fd = (server as unknown as { _handle: { fd: number } })._handle.fd;
    await failsWith("INVALID_ARGUMENT", /is no segment/, () => mapSegment(pathOf(fd)));
    await failsWith("INVALID_ARGUMENT", /positive/, () => createSegment(0));
  });
});
