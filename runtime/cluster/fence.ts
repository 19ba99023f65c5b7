import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { dieWithLease, mapFile } from "../../native/index.js";
import type { Bus } from "../transport/bus.js";
import type { Vigil } from "./heartbeats.js";
import { fenceMs, killMs } from "./protocol.js";

const dialMs = 100;
const loopback = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Where a node keeps the time at which its processes are over; all of them, and its launcher, read it. */
export const leaseFile = (shmPrefix: string, node: string) => `${shmPrefix}lease-${node}`;

/** Whether a node ended because that time came: a live one always has more than half of it left. */
export function leaseIsOver(path: string): boolean {
  try {
    const until = readFileSync(path).readBigInt64LE();
    return until > 0n && until < process.hrtime.bigint() + BigInt(killMs / 2) * 1_000_000n;
  } catch {
    return false; // it had none yet
  }
}

/**
 * A node's right to run actors: it ends `fenceMs` after the newest proof that its heartbeats arrive was sent for, and
 * once over it is never renewed. `killMs` after that proof the kernel kills the node's processes, whatever they do.
 * @param on.over called once; the process has to end at once
 */
export function fence(on: { vigil: Vigil; bus: Bus; url: string; file: string; over(): void }): void {
  const page = new BigInt64Array(mapFile(on.file, BigInt64Array.BYTES_PER_ELEMENT, true));
  dieWithLease(on.file);
  let until = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const grant = (from: number) => {
    const now = performance.now();
    until = from + fenceMs;
    page[0] = process.hrtime.bigint() + BigInt(Math.round((from + killMs - now) * 1e6));
    clearTimeout(timer);
    timer = setTimeout(on.over, until - now);
  };
  const renew = (sentAt: number) => {
    if (performance.now() >= until) on.over();
    else if (sentAt + fenceMs > until) grant(sentAt);
  };
  grant(performance.now());
  on.vigil.onProof(renew);
  const { hostname, port } = new URL(on.url);
  if (!loopback.has(hostname)) return; // a proxy or a firewall on the way may refuse what the server would not
  setInterval(() => {
    if (on.bus.connected) return;
    const asked = performance.now();
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
    socket.setTimeout(dialMs, () => socket.destroy());
    socket.once("connect", () => socket.destroy());
    // It is away for everyone: whoever could declare us dead must connect again, and then gives us a whole lease.
    socket.once("error", ({ code }: NodeJS.ErrnoException) => code === "ECONNREFUSED" && renew(asked));
  }, dialMs).unref();
}
