import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { type ActorRecord, type Directory, hasEnded } from "../directory/directory.js";

type Change = Partial<actors.v1.ActorRecord.$Properties>;

const writeTries = 3;

/**
 * The coordinator's own copy of the actor records. It is their only writer, so it need not wait for the watch. A write
 * that conflicts means that another one leads now, or that the one before wrote once more before it knew of this one.
 */
export class Records {
  readonly #directory: Directory;
  readonly #leads: () => Promise<boolean>;
  readonly #holds: () => Promise<boolean>;
  readonly #records = new Map<ActorId, { record: ActorRecord; revision: number }>();

  /** @param on.holds asked before each write: one held up for long must not write over what the next one does */
  constructor(on: { directory: Directory; leads(): Promise<boolean>; holds(): Promise<boolean> }) {
    this.#directory = on.directory;
    this.#leads = on.leads;
    this.#holds = on.holds;
    for (const [id, entry] of on.directory.actors) this.#records.set(id, entry);
  }

  get(id: ActorId): ActorRecord | undefined {
    return this.#records.get(id)?.record;
  }

  all(): ActorRecord[] {
    return [...this.#records.values()].map((entry) => entry.record);
  }

  live(): ActorRecord[] {
    return this.all().filter((r) => !hasEnded(r));
  }

  /** The live actor of that name. */
  named(name: string): ActorRecord | undefined {
    return this.live().find((r) => r.name === name);
  }

  async create(record: ActorRecord): Promise<ActorRecord> {
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
      if (now) this.#records.set(id, { record: actors.v1.ActorRecord.decode(now.value), revision: now.revision });
    }
  }

  async remove(id: ActorId): Promise<void> {
    this.#records.delete(id);
    await this.#directory.store.delete(`actor.${id}`);
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
    this.#records.set(record.id as ActorId, { record, revision });
    return record;
  }
}

const superseded = (id: string) =>
  new ActorsError("UNAVAILABLE", `another coordinator sees to ${id} now`, {
    hint: "A new coordinator took over; the call is sent again to it.",
  });
