// The pool's choice of images, on a backend of pipes: what starts, what is handed out, what is ended to make room.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { actors } from "#protos";
import { ActorsError } from "../../runtime/index.js";
import type { Image, SandboxBackend } from "./backend.js";
import { SandboxProcess } from "./channel.js";
import { FrameReader, frame } from "./frames.js";
import { SandboxPool } from "./pool.js";
import { defaultLimits } from "./session.js";
import { log } from "./testing.js";

const { SandboxRun, SandboxResults } = actors.v1;

/** Answers "ok" to everything; knows the images a and b. */
class Pipes implements SandboxBackend {
  readonly name = "docker";
  readonly caveat = null;
  readonly started: (string | undefined)[] = [];
  readonly ended: (string | undefined)[] = [];

  async start(_limits: object, image?: Image | null): Promise<SandboxProcess> {
    if (image && !["a", "b"].includes(image.name)) throw new ActorsError("NOT_FOUND", `no image ${image.name}`);
    this.started.push(image?.name);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const reader = new FrameReader(1 << 20);
    const answer = (id: number, count: number) => {
      const results = Array.from({ length: count }, () => ({ ok: true }));
      output.write(frame(SandboxResults.encode({ id, results }).finish()));
    };
    input.on("data", (chunk: Buffer) => {
      for (const bytes of reader.push(chunk)) {
        const { id, ops } = SandboxRun.decode(bytes);
        answer(id, ops.length);
      }
    });
    const ended = new Promise<string>((resolve) => {
      input.once("close", () => {
        this.ended.push(image?.name);
        resolve("closed");
      });
    });
    answer(0, 1);
    const link = { input, output, errors: null, pid: 0, ended, kill: () => input.destroy() };
    const sandbox = await SandboxProcess.start(`s${this.started.length}`, link, "/workspace");
    sandbox.image = image ?? null;
    return sandbox;
  }

  close(): void {}
}

test("one of another image is started in the place of an idle one, and waits when all are in use", async () => {
  const backend = new Pipes();
  const pool = new SandboxPool({ backend, limits: defaultLimits, size: 2, image: { name: "a" }, log });
  await pool.start();
  assert.deepEqual(backend.started, ["a", "a"]);
  const first = await pool.acquire();
  const other = await pool.acquire({ image: { name: "b" } });
  assert.deepEqual([backend.started, backend.ended], [["a", "a", "b"], ["a"]]);
  await assert.rejects(pool.acquire({ image: { name: "b" }, timeoutMs: 20 }), { code: "OVERLOADED" });
  const waiting = pool.acquire({ image: { name: "b" } });
  await first.release(); // an "a", which has to go
  const third = await waiting;
  assert.deepEqual(
    [backend.started, backend.ended],
    [
      ["a", "a", "b", "b"],
      ["a", "a"],
    ],
  );
  await other.release();
  await using again = await pool.acquire({ image: { name: "b" } });
  assert.equal(again.id, other.id, "a warm one of the image is handed out");
  assert.equal(pool.stats().lost, 0);
  await third.release();
  await pool.close();
});

test("who waits for an image that is not there is told so at once", async () => {
  const pool = new SandboxPool({ backend: new Pipes(), limits: defaultLimits, size: 1, image: { name: "a" }, log });
  await pool.start();
  await assert.rejects(pool.acquire({ image: { name: "none" } }), { code: "NOT_FOUND", message: /no image none/ });
  await using sandbox = await pool.acquire();
  assert.equal(sandbox.alive, true);
  await sandbox.release();
  await pool.close();
});
