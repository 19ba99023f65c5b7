import { readFileSync, readlinkSync, statfsSync } from "node:fs";
import { hostname, totalmem } from "node:os";
import type { ObjectLimits } from "./ledger.js";

const memoryShare = 0.3;
const diskShare = 0.5;

/** Of a whole host: 30 % of its memory, or of what the process's container may use, and half of what is free at `dir`. */
export function defaultLimits(dir: string): ObjectLimits {
  const allowed = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const { bavail, bsize } = statfsSync(dir);
  return {
    memory: Math.floor(Math.min(totalmem(), allowed) * memoryShare),
    disk: Math.floor(bavail * bsize * diskShare),
  };
}

/** What one of `nodes` on a host may take. */
export const shareOf = ({ memory, disk }: ObjectLimits, nodes: number): ObjectLimits => ({
  memory: Math.floor(memory / nodes),
  disk: Math.floor(disk / nodes),
});

/**
 * Says which processes can map each other's memory: those of one kernel and one process table. $ACTORS_HOST_ID stands
 * in for it, so that tests have several hosts on one machine.
 */
export function hostId(): string {
  const given = process.env["ACTORS_HOST_ID"];
  if (given) return given;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}.${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`;
  } catch {
    return hostname();
  }
}
