import type { actors } from "#protos";
import { type ActorRecord, hasEnded } from "../directory/directory.js";

type Resources = actors.v1.Resources.$Properties;
type Amounts = Record<string, number>;

/** An actor that a node holds. */
export interface Placed {
  id: string;
  gang: string;
  needs: Resources;
  devices: readonly string[];
}

export interface Seat {
  node: string;
  devices: string[];
}

export const amounts = (r: Resources): Amounts => ({
  cpus: r.cpus ?? 0,
  gpus: r.gpus ?? 0,
  memoryMb: r.memoryMb ?? 0,
  ...(r.custom ?? {}),
});

const none: ReadonlySet<string> = new Set();

/** What the actors of a node take together. */
export class Load {
  readonly #placed = new Map<string, Placed>();
  readonly #amounts = new Map<string, Sum>();
  readonly #devices = new Map<string, Sum>();
  readonly #gangs = new Map<string, Set<string>>();

  static of(placed: Iterable<Placed>): Load {
    const load = new Load();
    for (const each of placed) load.add(each);
    return load;
  }

  get count(): number {
    return this.#placed.size;
  }

  has(id: string): boolean {
    return this.#placed.has(id);
  }

  amount(key: string): number {
    return this.#amounts.get(key)?.n ?? 0;
  }

  /** From 0 to 1. */
  device(id: string): number {
    return this.#devices.get(id)?.n ?? 0;
  }

  /** Ids of its members here. */
  gang(id: string): ReadonlySet<string> {
    return this.#gangs.get(id) ?? none;
  }

  /** The same, if nobody but that gang were here. */
  onlyOf(gang: string): Load {
    return Load.of([...this.gang(gang)].map((id) => this.#placed.get(id)!));
  }

  add(placed: Placed): void {
    this.remove(placed.id);
    this.#placed.set(placed.id, placed);
    this.#count(placed, 1);
    if (placed.gang === "") return;
    const gang = this.#gangs.get(placed.gang) ?? new Set();
    this.#gangs.set(placed.gang, gang.add(placed.id));
  }

  remove(id: string): Placed | undefined {
    const placed = this.#placed.get(id);
    if (!placed) return undefined;
    this.#placed.delete(id);
    this.#count(placed, -1);
    const gang = this.#gangs.get(placed.gang);
    if (gang?.delete(id) && gang.size === 0) this.#gangs.delete(placed.gang);
    return placed;
  }

  #count({ needs, devices }: Placed, sign: 1 | -1): void {
    for (const [key, n] of Object.entries(amounts(needs))) change(this.#amounts, key, n, sign);
    for (const id of devices) change(this.#devices, id, (needs.gpus ?? 0) / devices.length, sign);
  }
}

interface Sum {
  n: number;
  of: number;
}

/** A sum of nothing is 0, whatever rounding left of it. */
function change(sums: Map<string, Sum>, key: string, n: number, sign: 1 | -1): void {
  if (n === 0) return;
  const sum = sums.get(key) ?? { n: 0, of: 0 };
  sum.n += sign * n;
  sum.of += sign;
  if (sum.of === 0) sums.delete(key);
  else sums.set(key, sum);
}

/**
 * What live actors take of each node, kept up to date record by record, so that a placement looks at nodes and not at
 * all actors. A seat that was chosen and not yet written counts in place of what the record says.
 */
export class Loads {
  readonly #nodes = new Map<string, Load>();
  readonly #at = new Map<string, string>();
  readonly #chosen = new Map<string, Seat>();

  /** @returns a load that is empty for a node without actors */
  of(node: string): Load {
    return this.#nodes.get(node) ?? new Load();
  }

  isChosen(id: string): boolean {
    return this.#chosen.has(id);
  }

  choose(record: ActorRecord, seat: Seat): void {
    this.#chosen.set(record.id, seat);
    this.follow(record);
  }

  /** @param record as it was written last; undefined when it never was */
  release(id: string, record: ActorRecord | undefined): void {
    if (!this.#chosen.delete(id)) return;
    if (record) this.follow(record);
    else this.drop(id);
  }

  follow(record: ActorRecord): void {
    const { id, needs, placement } = record;
    const { node, devices } = this.#chosen.get(id) ?? record;
    this.drop(id);
    if (hasEnded(record) || node === "") return;
    const load = this.of(node);
    this.#nodes.set(node, load);
    load.add({ id, gang: placement?.gang ?? "", needs: needs ?? {}, devices });
    this.#at.set(id, node);
  }

  drop(id: string): void {
    const node = this.#at.get(id);
    if (node === undefined) return;
    this.#at.delete(id);
    const load = this.#nodes.get(node)!;
    load.remove(id);
    if (load.count === 0) this.#nodes.delete(node);
  }

  /** As if those actors were nowhere. */
  without<T>(ids: readonly string[], look: () => T): T {
    const held = ids.flatMap((id) => {
      const load = this.#nodes.get(this.#at.get(id) ?? "");
      const placed = load?.remove(id);
      return placed ? [{ load: load!, placed }] : [];
    });
    try {
      return look();
    } finally {
      for (const { load, placed } of held) load.add(placed);
    }
  }
}
