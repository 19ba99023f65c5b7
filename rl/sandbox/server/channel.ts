import type { Duplex } from "node:stream";
import { actors } from "#protos";
import { FrameReader, frame } from "../frames.js";
import type { Op, OpResult, RunOptions } from "../session.js";

const { SandboxRun, SandboxResults } = actors.v1;
const maxFrame = 160 << 20; // an archive of the largest size, and what is around it

/**
 * Speaks as sandboxd does (native/sandboxd/wire.h), for a client whose sandbox is here. Runs go on beside each other. A sandbox that is lost, or a
 * frame that is none, ends the connection. Resolves when it has ended.
 */
export function serveChannel(
  socket: Duplex,
  head: Buffer,
  names: readonly string[],
  run: (ops: readonly Op[], options: RunOptions) => Promise<OpResult[]>,
): Promise<void> {
  const reader = new FrameReader(maxFrame);
  const running = new Map<number, AbortController>();
  const send = (results: actors.v1.SandboxResults.$Properties) => {
    if (socket.writable) socket.write(frame(SandboxResults.encode(results).finish()));
  };
  const answer = async (id: number, ops: Op[]): Promise<void> => {
    const number = ops[0]?.kill?.run;
    if (number) return send({ id, results: [kill(number)] }); // numbers are the client's, not the sandbox's
    const abort = new AbortController();
    running.set(id, abort);
    try {
      const results = await run(ops, { signal: abort.signal, onOutput: (chunk) => send({ id, ...chunk }) });
      send({ id, results });
    } catch {
      if (!abort.signal.aborted) socket.destroy(); // lost: nothing can be done in it any more
    } finally {
      running.delete(id);
    }
  };
  const kill = (number: number): { ok: boolean; error?: string } => {
    const found = running.get(number);
    found?.abort();
    return found ? { ok: true } : { ok: false, error: "ESRCH: that command has ended" };
  };
  const take = (chunk: Buffer) => {
    try {
      for (const bytes of reader.push(chunk)) {
        const { id, ops } = SandboxRun.decode(bytes);
        answer(id, ops);
      }
    } catch {
      socket.destroy();
    }
  };
  send({ id: 0, results: [{ ok: true, names: [...names] }] });
  socket.on("data", take);
  if (head.length > 0) take(head);
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("close", () => {
      for (const abort of running.values()) abort.abort();
      resolve();
    });
  });
}
