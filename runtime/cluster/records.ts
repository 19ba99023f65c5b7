import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { type ActorRecord, ActorState, type Directory } from "../directory/directory.js";

type Change = Partial<actors.v1.ActorRecord.$Properties>;

/**
 * The coordinator's own copy of the actor records. It is their only writer, so it need not wait for the watch;
 * a write that conflicts means that another one leads now.
 */
export class Records {
  readonly #directory: Directory;
  readonly #records = new Map<ActorId, { record: ActorRecord; revision: number }>();

  constructor(directory: Directory) {
    this.#directory = directory;
    for (const [id, entry] of directory.actors) this.#records.set(id, entry);
  }

  get(id: ActorId): ActorRecord | undefined {
    return this.#records.get(id)?.record;
  }

  all(): ActorRecord[] {
    return [...this.#records.values()].map((entry) => entry.record);
  }

  live(): ActorRecord[] {
    return this.all().filter((r) => r.state < ActorState.STOPPED);
  }

  async create(record: ActorRecord): Promise<ActorRecord> {
    const revision = await this.#directory.store.create(
      `actor.${record.id}`,
      actors.v1.ActorRecord.encode(record).finish(),
    );
    return this.#keep(record, revision);
  }

  async change(id: ActorId, change: Change): Promise<ActorRecord> {
    const known = this.#records.get(id);
    if (!known) throw new ActorsError("NOT_FOUND", `there is no actor ${id}`);
    const record = new actors.v1.ActorRecord({ ...known.record, ...change });
    const bytes = actors.v1.ActorRecord.encode(record).finish();
    return this.#keep(record, await this.#directory.store.update(`actor.${id}`, bytes, known.revision));
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
    const state = this.get(holder)?.state;
    if (holder === id) return true;
    if (state !== undefined && state < ActorState.STOPPED) return false;
    return (await this.#directory.store.update(key, value, taken.revision)) > 0;
  }

  #keep(record: ActorRecord, revision: number): ActorRecord {
    if (revision === 0) {
      throw new ActorsError("UNAVAILABLE", `the record of ${record.id} was changed by another coordinator`, {
        hint: "A new coordinator took over; the call is sent again to it.",
      });
    }
    this.#records.set(record.id as ActorId, { record, revision });
    return record;
  }
}
