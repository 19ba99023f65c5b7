import type { actors } from "#protos";
import { ActorsError } from "../core/errors.js";

type Resources = actors.v1.Resources.$Properties;

export interface Candidate {
  id: string;
  slot: number;
  capacity: Resources;
  /** Needs of the actors placed there now. */
  used: Resources[];
  /** Dead, but its place may come back: nothing goes there now, and a wish only it can meet waits. */
  away?: boolean;
}

export interface Wish {
  needs: Resources;
  /** Node id or slot name (`n2`); empty: any. */
  node: string;
  what: string;
}

type Amounts = Record<string, number>;

export function amounts(r: Resources): Amounts {
  return { cpus: r.cpus ?? 0, gpus: r.gpus ?? 0, memoryMb: r.memoryMb ?? 0, ...(r.custom ?? {}) };
}

function free(node: Candidate): Amounts {
  const left = amounts(node.capacity);
  for (const used of node.used) for (const [key, n] of Object.entries(amounts(used))) left[key] = (left[key] ?? 0) - n;
  return left;
}

/** What of `needs` the amounts do not cover, as words: `gpus 1 (0 free)`. */
function missing(needs: Amounts, have: Amounts): string[] {
  const epsilon = 1e-9; // fractions of a resource add up with rounding
  return Object.entries(needs)
    .filter(([key, n]) => n > 0 && n > (have[key] ?? 0) + epsilon)
    .map(([key, n]) => `${key} ${n} (${Math.max(0, have[key] ?? 0)} free)`);
}

export const slotName = (slot: number) => `n${slot}`;

/**
 * Spreads: of the nodes with room, the one with the fewest actors, then the lowest slot.
 * @returns a node id, or undefined when room may come as others stop
 * @throws ActorsError INFEASIBLE when no node could hold it even if empty; `details.missing` says why, node by node
 */
export function place(wish: Wish, nodes: readonly Candidate[]): string | undefined {
  const allowed = nodes.filter((n) => wish.node === "" || n.id === wish.node || slotName(n.slot) === wish.node);
  const needs = amounts(wish.needs);
  const room = allowed.filter((n) => !n.away && missing(needs, free(n)).length === 0);
  if (room.length > 0) return room.reduce((a, b) => (rank(a) <= rank(b) ? a : b)).id;
  const ever = allowed.filter((n) => missing(needs, amounts(n.capacity)).length === 0);
  if (ever.length > 0 || nodes.length === 0) return undefined;
  const lacks = allowed.map((n) => `${n.id} lacks ${missing(needs, amounts(n.capacity)).join(", ")}`);
  throw new ActorsError(
    "INFEASIBLE",
    `no node can hold ${wish.what}: ${lacks.join("; ") || `there is no node ${wish.node}`}`,
    {
      details: { missing: lacks },
      hint: "Ask for less, or add a node that has it.",
    },
  );
}

/** For the message of a placement that ran out of time. */
export function shortage(wish: Wish, nodes: readonly Candidate[]): string {
  if (nodes.length === 0) return "no node is up";
  const lacks = (n: Candidate) =>
    n.away ? "is down" : `lacks ${missing(amounts(wish.needs), free(n)).join(", ") || "nothing"}`;
  return nodes.map((n) => `${n.id} ${lacks(n)}`).join("; ");
}

const rank = (n: Candidate) => n.used.length * 10_000 + n.slot;
