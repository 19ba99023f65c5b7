import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import { epsilon, freeDevices, handOut } from "./devices.js";
import { amounts, Load, type Seat } from "./loads.js";

type Resources = actors.v1.Resources.$Properties;
export const { Strategy } = actors.v1;

export interface Candidate {
  id: string;
  slot: number;
  host: string;
  labels: Record<string, string>;
  capacity: Resources;
  /** Ids of its GPUs. */
  devices: readonly string[];
  used: Load;
  /** Dead, but its place may come back: nothing goes there now, and a wish only it can meet waits. */
  away?: boolean;
}

export interface Wish {
  id: string;
  what: string;
  needs: Resources;
  /** Node id or slot name (`n2`); empty: any. */
  node: string;
  labels: Record<string, string>;
  gang: string;
  strategy: actors.v1.Strategy;
  /** Ids of actors. */
  near: readonly string[];
  away: readonly string[];
}

export const slotName = (slot: number) => `n${slot}`;

/**
 * Where actors that start together go: all of them, or none.
 * @param wishes of one gang, alike but for their ids; or a single one
 * @returns a seat for each wish, or undefined when room may come as others stop
 * @throws ActorsError INFEASIBLE when the nodes could not hold them even if empty; `details.missing` says why, node by node
 */
export function place(wishes: readonly Wish[], nodes: readonly Candidate[]): Seat[] | undefined {
  const seats = seatAll(
    wishes,
    nodes.filter((n) => !n.away),
  );
  if (seats || nodes.length === 0) return seats;
  const [wish] = wishes as [Wish];
  if (
    seatAll(
      wishes,
      nodes.map((n) => ({ ...n, used: n.used.onlyOf(wish.gang) })),
    )
  )
    return undefined;
  const empty = nodes.map((n) => ({ ...n, used: new Load() }));
  const lacks = empty.map((n) => `${n.id} lacks ${shortOf(wish, n).join(", ")}`);
  const each = empty.some((n) => shortOf(wish, n).length === 0);
  const why = each ? together(wishes, nodes.length) : lacks.join("; ");
  throw new ActorsError("INFEASIBLE", `no node can hold ${wish.what}: ${why}`, {
    details: { missing: each ? [why] : lacks },
    hint: "Ask for less, or add a node that has it.",
  });
}

/** One node could hold one of them; what all of them want at once no set of nodes has. */
function together(wishes: readonly Wish[], nodes: number): string {
  const { strategy } = wishes[0]!;
  const n = wishes.length;
  if (strategy === Strategy.STRICT_SPREAD) return `${n} on nodes of their own, of ${nodes}`;
  return strategy === Strategy.STRICT_PACK ? `${n} of them on one node` : `${n} of them at once`;
}

function seatAll(wishes: readonly Wish[], nodes: readonly Candidate[]): Seat[] | undefined {
  const [wish] = wishes;
  if (wish?.strategy === Strategy.STRICT_PACK && wishes.length > 1) {
    for (const node of [...nodes].sort(better(wish, nodes))) {
      const seats = seatEach(wishes, [node]);
      if (seats) return seats;
    }
    return undefined;
  }
  return seatEach(wishes, nodes);
}

function seatEach(wishes: readonly Wish[], nodes: readonly Candidate[]): Seat[] | undefined {
  const seats: Seat[] = [];
  const taken: { node: Candidate; id: string }[] = [];
  try {
    for (const wish of wishes) {
      const room = nodes.filter((n) => shortOf(wish, n).length === 0 && allows(wish, n, nodes));
      const node = first(room, better(wish, nodes));
      if (!node) return undefined;
      const devices = handOut(wish.needs.gpus ?? 0, freeDevices(node))!;
      node.used.add({ id: wish.id, gang: wish.gang, needs: wish.needs, devices });
      taken.push({ node, id: wish.id });
      seats.push({ node: node.id, devices });
    }
    return seats;
  } finally {
    for (const { node, id } of taken) node.used.remove(id);
  }
}

/** What of a wish the node lacks now, as words: `gpus 1 (0 free)`, `label disk=ssd`. */
function shortOf(wish: Wish, node: Candidate): string[] {
  if (wish.node !== "" && node.id !== wish.node && slotName(node.slot) !== wish.node) return [`the name ${wish.node}`];
  const labels = Object.entries(wish.labels).filter(([key, value]) => node.labels[key] !== value);
  const capacity = amounts(node.capacity);
  const free = (key: string) => (capacity[key] ?? 0) - node.used.amount(key);
  const short = Object.entries(amounts(wish.needs)).filter(([key, n]) => n > 0 && n > free(key) + epsilon);
  const text = short.map(([key, n]) => `${key} ${n} (${Math.max(0, free(key))} free)`);
  const gpus = wish.needs.gpus ?? 0;
  if (gpus > 0 && !short.some(([key]) => key === "gpus") && !handOut(gpus, freeDevices(node))) {
    text.push(`gpus ${gpus} (in parts only)`);
  }
  return [...labels.map(([key, value]) => `label ${key}=${value}`), ...text];
}

/** Whether the strategy of the gang lets another member live here, beside those that already do. */
function allows({ gang, strategy }: Wish, node: Candidate, nodes: readonly Candidate[]): boolean {
  if (gang === "") return true;
  if (strategy === Strategy.STRICT_SPREAD) return node.used.gang(gang).size === 0;
  if (strategy === Strategy.STRICT_PACK) return nodes.every((n) => n === node || n.used.gang(gang).size === 0);
  return true;
}

type Order = (a: Candidate, b: Candidate) => number;

const first = (nodes: readonly Candidate[], order: Order): Candidate | undefined =>
  nodes.length === 0 ? undefined : nodes.reduce((best, n) => (order(n, best) < 0 ? n : best));

/** The order in which nodes with room are taken. */
function better(wish: Wish, nodes: readonly Candidate[]): Order {
  const holds = ({ used }: Candidate, ids: readonly string[]) => ids.some((id) => used.has(id));
  const hosts = new Set(wish.near.length > 0 ? nodes.filter((n) => holds(n, wish.near)).map((n) => n.host) : []);
  const packs = wish.strategy === Strategy.PACK || wish.strategy === Strategy.STRICT_PACK;
  const keys = (node: Candidate): number[] => {
    const gang = wish.gang === "" ? 0 : node.used.gang(wish.gang).size;
    const crowd = [gang, node.used.count].map((n) => (packs ? -n : n));
    const far = holds(node, wish.near) ? 0 : hosts.has(node.host) ? 1 : 2;
    return [holds(node, wish.away) ? 1 : 0, far, ...crowd, node.slot];
  };
  return (a, b) => {
    const [x, y] = [keys(a), keys(b)];
    const i = x.findIndex((key, at) => key !== y[at]);
    return i < 0 ? 0 : x[i]! - y[i]!;
  };
}

/** Why there is no room now: for whoever waits, and for the message of a placement that ran out of time. */
export function shortage(wishes: readonly Wish[], nodes: readonly Candidate[]): string {
  if (nodes.length === 0) return "no node is up";
  const [wish] = wishes as [Wish];
  const lacks = (n: Candidate) => {
    if (n.away) return "is down";
    const short = shortOf(wish, n);
    if (short.length > 0) return `lacks ${short.join(", ")}`;
    return allows(wish, n, nodes) ? "has room, but not for all" : "is kept free of it by its gang's strategy";
  };
  return nodes.map((n) => `${n.id} ${lacks(n)}`).join("; ");
}

/** Kinds of resource that both ask for. */
export function compete(a: Wish, b: Wish): boolean {
  const [x, y] = [amounts(a.needs), amounts(b.needs)];
  return Object.keys(x).some((key) => x[key]! > 0 && (y[key] ?? 0) > 0);
}
