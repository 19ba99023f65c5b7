import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { dieWithLease, machineMs, mapFile } from "../../native/index.js";
import type { Bus } from "../transport/bus.js";
import { fenceMs, killMs } from "./protocol.js";
import type { ClusterFile } from "./state.js";

const dialMs = 100;
const nsPerMs = 1e6;

/** Where a node keeps the time at which its processes are over; all of them, and its launcher, read it. */
export const leaseFile = (shmPrefix: string, node: string) => `${shmPrefix}lease-${node}`;

export const heldText = (ms: number) =>
  `its event loop was held for ${ms} ms by an inline actor that computes, or waits without await; ` +
  `host that actor with { hosting: "thread" } or { hosting: "process" }`;

/** Why its lease ended a node; undefined when that was not the reason. */
export function leaseVerdict(path: string): string | undefined {
  try {
    const page = readFileSync(path);
    const heldMs = Number(page.readBigInt64LE(BigInt64Array.BYTES_PER_ELEMENT));
    if (heldMs > 0) return heldText(heldMs);
    const leftMs = Number(page.readBigInt64LE()) / nsPerMs - machineMs();
    if (leftMs < killMs / 2) return `none of its heartbeats had come back for ${fenceMs} ms, so it was ended`; // a live one has more
  } catch {} // it had none yet
  return undefined;
}

/**
 * A node's right to run actors: it ends `fenceMs` after the newest proof that its heartbeats arrive was sent for, and
 * once over it is never renewed. `killMs` after that proof the kernel kills the node's processes, whatever they do.
 * All threads of the node see one page of memory.
 */
export class Lease {
  readonly #page: BigInt64Array;

  private constructor(file: string) {
    this.#page = new BigInt64Array(mapFile(file, 2 * BigInt64Array.BYTES_PER_ELEMENT, true));
  }

  /** From now on this process dies with the lease. @param from when the first heartbeat that came back was sent */
  static begin(file: string, from: number): Lease {
    rmSync(file, { force: true }); // what is left of an earlier life reads the page of that life
    const lease = new Lease(file);
    lease.#grant(from);
    dieWithLease(file);
    return lease;
  }

  /** The lease that another thread began. */
  static of(file: string): Lease {
    return new Lease(file);
  }

  /** Milliseconds in which the node may still run actors. */
  get left(): number {
    return Number(this.#page[0]) / nsPerMs - (killMs - fenceMs) - machineMs();
  }

  /** @param sentAt when a heartbeat that came back was sent, by `machineMs()` */
  renew(sentAt: number): void {
    const { left } = this;
    if (left > 0 && sentAt + fenceMs - machineMs() > left) this.#grant(sentAt);
  }

  /** Calls once, when it is over. */
  onOver(over: () => void): void {
    const { left } = this;
    if (left > 0) setTimeout(() => this.onOver(over), left);
    else over();
  }

  /** Has the kernel end the node now, for what holds its event loop would not. */
  kill(heldMs: number): void {
    this.#page[1] = BigInt(heldMs);
    this.#page[0] = 0n;
  }

  #grant(from: number): void {
    this.#page[0] = BigInt(Math.round((from + killMs) * nsPerMs));
  }
}

/**
 * Tells when a nats-server was away for everyone: whoever could declare us dead must connect again, and then gives us a
 * whole lease. Only of our launcher's own, and where it runs on this machine: elsewhere something on the way may refuse
 * what it would not.
 */
export function onServerAway(
  bus: Bus,
  { url, pid, natsPids }: Pick<ClusterFile, "url" | "pid" | "natsPids">,
  away: (at: number) => void,
): void {
  if (process.ppid !== pid || natsPids.length === 0) return;
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const own = Object.values(networkInterfaces()).flatMap((cards) => cards!.map(({ address }) => address));
  if (!own.includes(host)) return;
  setInterval(() => {
    if (bus.connected) return;
    const asked = machineMs();
    const socket = connect(Number(port), host);
    socket.setTimeout(dialMs, () => socket.destroy());
    socket.once("connect", () => socket.destroy());
    socket.once("error", ({ code }: NodeJS.ErrnoException) => code === "ECONNREFUSED" && away(asked));
  }, dialMs).unref();
}
