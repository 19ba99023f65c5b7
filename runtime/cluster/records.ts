import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { type ActorRecord, type Directory, hasEnded } from "../directory/directory.js";
import { type Load, Loads, type Seat } from "./loads.js";

type Change = Partial<actors.v1.ActorRecord.$Properties>;

const writeTries = 3;

/**
 * The coordinator's own copy of the actor records. It is their only writer, so it need not wait for the watch. A write
 * that conflicts means that another one leads now, or that the one before wrote once more before it knew of this one.
 * What is asked of it often is kept up to date, for there may be 100,000 records.
 */
export class Records {
  readonly #directory: Directory;
  readonly #leads: () => Promise<boolean>;
  readonly #holds: () => Promise<boolean>;
  readonly #records = new Map<ActorId, Entry>();
  readonly #live = new Map<ActorId, ActorRecord>();
  /** In the order in which they ended. */
  readonly #ended = new Set<ActorId>();
  /** Of live ones. */
  readonly #names = new Map<string, ActorId>();
  readonly #children = new Map<string, Set<ActorId>>();
  readonly #waiting = new Set<ActorId>();
  readonly #loads = new Loads();

  /** @param on.holds asked before each write: one held up for long must not write over what the next one does */
  constructor(on: { directory: Directory; leads(): Promise<boolean>; holds(): Promise<boolean> }) {
    this.#directory = on.directory;
    this.#leads = on.leads;
    this.#holds = on.holds;
    for (const { record, revision } of on.directory.actors.values()) this.#set({ record, revision });
  }

  get(id: ActorId): ActorRecord | undefined {
    return this.#records.get(id)?.record;
  }

  live(): ActorRecord[] {
    return [...this.#live.values()];
  }

  /** The live actor of that name. */
  named(name: string): ActorRecord | undefined {
    return this.#live.get(this.#names.get(name) ?? ("" as ActorId));
  }

  /** The live ones that it owns. */
  childrenOf(parent: string): ActorRecord[] {
    return [...(this.#children.get(parent) ?? [])].map((id) => this.#live.get(id)!);
  }

  /** Of live actors. */
  owners(): string[] {
    return [...this.#children.keys()];
  }

  /** Those that have waited for room for long enough to be told why. */
  waiting(): ActorRecord[] {
    return [...this.#waiting].map((id) => this.#live.get(id)!);
  }

  /** What live actors, and those that are about to start, take of a node. */
  load(node: string): Load {
    return this.#loads.of(node);
  }

  /** Takes a seat for an actor until it is written to its record, and `release`d. */
  choose(record: ActorRecord, seat: Seat): void {
    this.#loads.choose(record, seat);
  }

  isChosen(id: ActorId): boolean {
    return this.#loads.isChosen(id);
  }

  release(id: ActorId): void {
    this.#loads.release(id, this.get(id));
  }

  /** As if those took nothing of any node. */
  without<T>(ids: readonly string[], look: () => T): T {
    return this.#loads.without(ids, look);
  }

  async create(wanted: ActorRecord): Promise<ActorRecord> {
    const record = new actors.v1.ActorRecord({ ...wanted, args: Buffer.from(wanted.args) }); // without the message they came in
    await this.#mayWrite(record.id);
    const revision = await this.#directory.store.create(
      `actor.${record.id}`,
      actors.v1.ActorRecord.encode(record).finish(),
    );
    return this.#keep(record, revision);
  }

  async change(id: ActorId, change: Change): Promise<ActorRecord> {
    const { store } = this.#directory;
    const key = `actor.${id}`;
    for (let tries = 1; ; tries++) {
      const known = this.#records.get(id);
      if (!known) throw new ActorsError("NOT_FOUND", `there is no actor ${id}`);
      const record = new actors.v1.ActorRecord({ ...known.record, ...change });
      const bytes = actors.v1.ActorRecord.encode(record).finish();
      await this.#mayWrite(id);
      const revision = await store.update(key, bytes, known.revision);
      if (revision > 0 || tries === writeTries || !(await this.#leads())) return this.#keep(record, revision);
      const now = await store.get(key);
      if (now) this.#set({ record: actors.v1.ActorRecord.decode(now.value), revision: now.revision });
    }
  }

  /** Removes those that ended first, until so many are left. */
  async trim(kept: number): Promise<void> {
    while (this.#ended.size > kept) {
      const [id] = this.#ended as unknown as [ActorId];
      this.#ended.delete(id);
      this.#records.delete(id);
      await this.#directory.store.delete(`actor.${id}`);
    }
  }

  /** @returns false when a live actor has the name */
  async claim(name: string, id: ActorId): Promise<boolean> {
    const key = `name.${name}`;
    const value = new TextEncoder().encode(id);
    const taken = await this.#directory.store.get(key);
    if (!taken) return (await this.#directory.store.create(key, value)) > 0;
    const holder = new TextDecoder().decode(taken.value) as ActorId;
    if (holder === id) return true;
    const live = this.get(holder);
    if (live && !hasEnded(live)) return false;
    await this.#mayWrite(id);
    return (await this.#directory.store.update(key, value, taken.revision)) > 0;
  }

  async #mayWrite(id: string): Promise<void> {
    if (!(await this.#holds())) throw superseded(id);
  }

  #keep(record: ActorRecord, revision: number): ActorRecord {
    if (revision === 0) throw superseded(record.id);
    this.#set({ record, revision });
    return record;
  }

  #set(entry: Entry): void {
    const { record } = entry;
    const id = record.id as ActorId;
    this.#records.set(id, entry);
    this.#loads.follow(record);
    if (hasEnded(record)) return this.#end(id, record);
    this.#live.set(id, record);
    if (record.name) this.#names.set(record.name, id);
    const siblings = this.#children.get(record.parent) ?? new Set();
    this.#children.set(record.parent, siblings.add(id));
    if (record.waiting) this.#waiting.add(id);
    else this.#waiting.delete(id);
  }

  #end(id: ActorId, { name, parent }: ActorRecord): void {
    this.#live.delete(id);
    this.#ended.add(id);
    this.#waiting.delete(id);
    if (this.#names.get(name) === id) this.#names.delete(name);
    const siblings = this.#children.get(parent);
    if (siblings?.delete(id) && siblings.size === 0) this.#children.delete(parent);
  }
}

interface Entry {
  record: ActorRecord;
  revision: number;
}

const superseded = (id: string) =>
  new ActorsError("UNAVAILABLE", `another coordinator sees to ${id} now`, {
    hint: "A new coordinator took over; the call is sent again to it.",
  });
