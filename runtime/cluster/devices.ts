import { readdirSync } from "node:fs";
import type { Candidate } from "./placement.js";

/** Fractions of a resource add up with rounding. */
export const epsilon = 1e-9;

/**
 * Ids of this machine's GPUs, as CUDA_VISIBLE_DEVICES takes them: those that the variable leaves visible where it is set,
 * else those that the driver shows. None on a machine without the driver.
 */
export function findDevices(env: NodeJS.ProcessEnv = process.env, dev = "/dev"): string[] {
  const visible = env["CUDA_VISIBLE_DEVICES"];
  if (visible !== undefined) {
    const ids = visible.split(",").map((id) => id.trim());
    const end = ids.findIndex((id) => id === "" || id === "-1"); // CUDA ignores what follows an id it cannot use
    return end < 0 ? ids : ids.slice(0, end);
  }
  try {
    const numbers = readdirSync(dev).flatMap((name) => /^nvidia(\d+)$/.exec(name)?.[1] ?? []);
    return numbers.sort((a, b) => Number(a) - Number(b));
  } catch {
    return [];
  }
}

/** Each device is handed out by one of the `share` nodes of a machine. @param slot from 1 */
export function devicesOfSlot(devices: readonly string[], slot: number, share: number): string[] {
  return devices.filter((_, i) => i % share === (slot - 1) % share);
}

/** What is left of each device of the node, from 0 to 1. */
export function freeDevices({ devices, used }: Pick<Candidate, "devices" | "used">): Map<string, number> {
  return new Map(devices.map((id) => [id, 1 - used.device(id)]));
}

/**
 * Whole devices, or a part of one: then of the fullest that has room, so that whole ones stay whole.
 * @returns undefined when there are not enough
 */
export function handOut(gpus: number, left: ReadonlyMap<string, number>): string[] | undefined {
  if (gpus <= 0) return [];
  const fit = [...left].filter(([, part]) => part + epsilon >= Math.min(1, gpus));
  if (gpus >= 1) return fit.length >= gpus ? fit.slice(0, gpus).map(([id]) => id) : undefined;
  const [best] = fit.sort(([, a], [, b]) => a - b);
  return best && [best[0]];
}
