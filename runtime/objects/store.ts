import { closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { copyBytes, copyBytesNow, type Segment } from "../../native/index.js";
import type { Bulk, BulkUse, Kept } from "../core/bulk.js";
import { decodeValue, decodeWith, type Encoded, encodeApart, encodeValue, pieces } from "../core/codec.js";
import type { Endpoint } from "../core/endpoint.js";
import { ActorsError, isActorsError } from "../core/errors.js";
import { reviveHandle } from "../core/handle.js";
import { newId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import { type HeldObject, type Holding, hostObjectsActor, objectsHandle, type Use } from "./control.js";
import { Exchange } from "./exchange.js";
import type { ObjectLimits } from "./ledger.js";
import { freed, lost, ownerOf, processEnded } from "./lost.js";
import { Memory } from "./memory.js";
import { Readers } from "./readers.js";
import { ObjectRef } from "./ref.js";
import { headerBytes, headerOf, holds, isIdle, mapObject, type Place, placeOf } from "./segment.js";
import { writeNameless } from "./spill.js";

const inlineBytes = 64 << 10; // up to here a value is carried by its references
const bulkBytes = 256 << 10; // from here a payload is kept out of its message
const apartBytes = 4 << 10; // a smaller array is not worth a view of its own
const leaseMs = 120_000; // an answer that no one has fetched by then is freed
const sweepMs = 5_000;
const askMs = 5_000;
const locateTries = 3;
const slowBytes = 1 << 20; // fresh memory is slow to touch
const sliceBytes = 16 << 20;

interface Entry {
  readonly ref: ObjectRef;
  readonly use: Use;
  readonly createdAt: number;
  /** In memory; once it is on disk, the descriptor of its file. */
  at: Segment | number;
  spilling: boolean;
  /** Messages that carry it. */
  shares: number;
}

/**
 * The objects of one process or worker thread: those that it owns, and those of others that it maps. An owner's memory
 * and files have no name: they are gone when the process and its readers have ended, whatever ended them.
 */
export class ObjectStore implements Bulk {
  readonly least = bulkBytes;
  readonly host: string;
  readonly token: string | undefined;
  readonly encrypts: boolean;
  readonly #endpoint: Endpoint;
  readonly #node: string;
  readonly #log: Logger;
  readonly #dir: string;
  /** With other hosts. */
  readonly exchange: Exchange;
  readonly #memory: Memory;
  readonly #readers = new Readers();
  /** The least recently used first. */
  readonly #own = new Map<string, Entry>();
  /** Objects mapped here, while anyone refers to their memory. */
  readonly #mapped = new Map<string, WeakRef<ArrayBuffer>>();
  readonly #unmapped = new FinalizationRegistry<string>((id) => {
    if (this.#mapped.get(id)?.deref()) return;
    this.#mapped.delete(id);
    if (!this.#own.has(id)) this.exchange.unused(id);
  });
  /** Small values, which have no other owner than their reference. */
  readonly #freed = new WeakSet<ObjectRef>();
  #sweep: NodeJS.Timeout | undefined;

  /**
   * @param on.dir where objects beyond the budget go
   * @param on.ledger path of the node's, when another process made it
   * @param on.token the cluster's; without it no objects go to or come from other hosts
   * @param on.encrypts what goes to other hosts
   */
  constructor(on: {
    endpoint: Endpoint;
    host: string;
    node: string;
    dir: string;
    log: Logger;
    limits: ObjectLimits;
    ledger?: string | undefined;
    token?: string | undefined;
    encrypts?: boolean | undefined;
  }) {
    this.#endpoint = on.endpoint;
    this.host = on.host;
    this.#node = on.node;
    this.#dir = on.dir || tmpdir();
    this.token = on.token;
    this.encrypts = on.encrypts === true;
    this.#log = on.log;
    this.#memory = new Memory(on.limits, on.ledger);
    this.exchange = new Exchange({
      endpoint: on.endpoint,
      host: on.host,
      token: on.token,
      encrypts: this.encrypts,
      own: (id) => (this.#own.has(id) ? { place: this.place(id), bytes: this.#own.get(id)!.ref.bytes } : undefined),
      take: async (bytes) => (await this.#memory.take(bytes, () => this.#spill())) ?? this.#memory.takeNow(bytes),
      give: (segment) => this.#memory.give(segment),
    });
    hostObjectsActor(on.endpoint, this);
    on.endpoint.useBulk(this);
  }

  /** For the other processes and threads of the node; undefined where there is no shared memory. */
  get ledgerPath(): string | undefined {
    return this.#memory.usable ? this.#memory.ledger.path : undefined;
  }

  async put<T>(value: T, owner: string): Promise<ObjectRef<T>> {
    const encoded = encodeApart(value, apartBytes);
    if (encoded.bytes <= inlineBytes) return this.#inline(encoded, owner);
    if (!this.#memory.usable) {
      throw new ActorsError("UNAVAILABLE", `an object of ${encoded.bytes} bytes needs shared memory`, {
        hint: "It takes Linux and the native code: `actors doctor` says what is missing.",
      });
    }
    const id = newId("o");
    const header = headerOf(id, encoded.bytes);
    const segment = await this.#memory.take(headerBytes + encoded.bytes, () => this.#spill());
    if (!segment) {
      const file = await this.#write(id, [header, ...pieces(encoded, sliceBytes)], encoded.bytes);
      return this.#enter(id, file, encoded, owner, "put");
    }
    const into = new Uint8Array(segment.buffer);
    into.set(header);
    let at = headerBytes;
    for (const piece of pieces(encoded)) {
      if (piece.length < slowBytes) into.set(piece, at);
      else await copyBytes(into.subarray(at), piece);
      at += piece.length;
    }
    return this.#enter(id, segment, encoded, owner, "put");
  }

  async get<T>(ref: ObjectRef<T>): Promise<T> {
    const { inline } = ref.state;
    if (inline && this.#freed.has(ref)) throw freed(ref.id);
    return this.#decode(inline?.subarray(0, ref.state.head) ?? (await this.#content(ref))) as T;
  }

  async free(ref: ObjectRef): Promise<void> {
    const { id, inline, endpoint } = ref.state;
    if (inline) this.#freed.add(ref);
    else if (endpoint === this.#endpoint.id) this.drop(id);
    else if (!this.#hasEnded(ref)) {
      await objectsHandle(this.#endpoint.calls, endpoint).free.with({ timeoutMs: askMs })(id);
    }
  }

  keep(encoded: Encoded, use: BulkUse, sole: boolean): Kept | undefined {
    if (!this.#memory.usable) return undefined;
    const id = newId("o");
    const segment = this.#memory.takeNow(headerBytes + encoded.bytes);
    const into = new Uint8Array(segment.buffer);
    into.set(headerOf(id, encoded.bytes));
    lay(encoded, into.subarray(headerBytes));
    const ref = this.#enter(id, segment, encoded, this.#endpoint.id, use, sole);
    const entry = this.#own.get(id)!;
    if (use !== "argument") this.#sweep ??= setInterval(() => this.#expire(), sweepMs).unref();
    if (this.#memory.isOver)
      void this.#spill().catch((err: unknown) => this.#log.warn({ err }, "no object was spilled"));
    return { reference: encodeValue(ref), share: () => void entry.shares++, release: () => this.release(id) };
  }

  /** A mapping of its own each time: what one receiver writes into its arguments reaches no other. */
  open(reference: Uint8Array, use: BulkUse): Uint8Array | Promise<Uint8Array> {
    const ref = decodeValue(reference) as ObjectRef;
    const content = this.#map(ref, ref.state.place) ?? this.#content(ref, true);
    if (use !== "result") return content;
    const received = () => this.received(reference);
    if (content instanceof Uint8Array) received();
    else content.then(received, () => {});
    return content;
  }

  received(reference: Uint8Array): void {
    const { id, endpoint } = (decodeValue(reference) as ObjectRef).state;
    if (endpoint === this.#endpoint.id) return this.release(id);
    const { release } = objectsHandle(this.#endpoint.calls, endpoint);
    release
      .with({ timeoutMs: askMs })(id)
      .catch(() => {}); // its lease ends too
  }

  /** @throws ActorsError NOT_FOUND */
  place(id: string): Place {
    const entry = this.#own.get(id);
    if (!entry) throw freed(id);
    this.#own.delete(id);
    this.#own.set(id, entry);
    return placeOf(entry.at);
  }

  /** One message that carried the object needs it no more. */
  release(id: string): void {
    const entry = this.#own.get(id);
    if (entry && --entry.shares <= 0) this.drop(id);
  }

  /** Frees an object of this process; one that is gone already is no error. */
  drop(id: string): void {
    const entry = this.#own.get(id);
    if (!entry) return;
    this.#own.delete(id);
    this.exchange.forget(id);
    if (typeof entry.at !== "number") return this.#memory.give(entry.at);
    closeSync(entry.at);
    this.#memory.freeDisk(entry.ref.bytes);
  }

  /** When an actor ends, so do its objects. */
  dropOf(owner: string): void {
    for (const [id, { ref }] of this.#own) if (ref.owner === owner) this.drop(id);
  }

  list(): Holding {
    const own = [...this.#own.values()].map(({ ref, use, createdAt, at }): HeldObject => {
      const { id, owner, bytes } = ref;
      return { id, owner, use, bytes, where: typeof at === "number" ? "disk" : "memory", createdAt };
    });
    const mapped = [...this.#mapped.keys()].filter((id) => this.#mapped.get(id)?.deref());
    return { node: this.#node, pid: process.pid, own, mapped, given: this.exchange.given };
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const id of [...this.#own.keys()]) this.drop(id);
    this.exchange.close();
    this.#readers.close();
    this.#memory.close();
  }

  #inline<T>(encoded: Encoded, owner: string): ObjectRef<T> {
    const inline = new Uint8Array(encoded.bytes);
    lay(encoded, inline);
    return this.#ref(newId("o"), owner, encoded, { inline });
  }

  #ref<T>(id: string, owner: string, { head, bytes }: Encoded, lies: { inline: Uint8Array } | { place: Place }) {
    const [endpoint, node, host] = [this.#endpoint.id, this.#node, this.host];
    return new ObjectRef<T>({ id, owner, endpoint, node, host, bytes, head: head.length, ...lies });
  }

  #enter<T>(id: string, at: Segment | number, encoded: Encoded, owner: string, use: Use, sole = false): ObjectRef<T> {
    const ref = this.#ref<T>(id, owner, encoded, { place: { ...placeOf(at), sole } });
    this.#own.set(id, { ref, use, at, spilling: false, shares: 1, createdAt: Date.now() });
    return ref;
  }

  #decode(content: Uint8Array): unknown {
    return decodeWith(content, { handle: (state) => reviveHandle(this.#endpoint.calls, state) });
  }

  /** @param apart in a mapping of its own */
  async #content(ref: ObjectRef, apart = false): Promise<Uint8Array> {
    let place = this.#own.has(ref.id) ? this.place(ref.id) : ref.state.place;
    for (let tries = 0; tries < locateTries; tries++) {
      const content = (apart ? undefined : this.#known(ref)) ?? this.#map(ref, place);
      if (content) return content;
      if (ref.state.host !== this.host) return this.#remember(ref.id, await this.exchange.fetch(ref), ref.state.head);
      place = await this.#locate(ref);
    }
    throw new ActorsError("UNAVAILABLE", `object ${ref.id} of ${ownerOf(ref)} cannot be mapped`, {
      hint: "Processes that share objects must run as one user.",
    });
  }

  /** As it was mapped here before. */
  #known({ id, state }: ObjectRef): Uint8Array | undefined {
    const known = this.#mapped.get(id)?.deref();
    return known && holds(known, id) ? new Uint8Array(known, headerBytes, state.head) : undefined;
  }

  /** The content of an object that can be mapped at that place. */
  #map(ref: ObjectRef, place: Place | undefined): Uint8Array | undefined {
    if (!place || ref.state.host !== this.host) return undefined;
    const buffer = place.sole ? this.#readers.read(place, ref.id) : mapObject(place, ref.id);
    if (!buffer) return undefined;
    return this.#remember(ref.id, buffer, ref.state.head);
  }

  #remember(id: string, buffer: ArrayBuffer, head: number): Uint8Array {
    this.#mapped.set(id, new WeakRef(buffer));
    this.#unmapped.register(buffer, id);
    return new Uint8Array(buffer, headerBytes, head);
  }

  /** Where it is now, by its owner. */
  async #locate(ref: ObjectRef): Promise<Place> {
    if (ref.state.endpoint === this.#endpoint.id) return this.place(ref.id);
    if (this.#hasEnded(ref)) throw lost(ref);
    try {
      return await objectsHandle(this.#endpoint.calls, ref.state.endpoint).locate.with({ timeoutMs: askMs })(ref.id);
    } catch (error) {
      throw isActorsError(error, "DEADLINE_EXCEEDED") && this.#hasEnded(ref) ? lost(ref, error) : error;
    }
  }

  #hasEnded({ state: { host, place } }: ObjectRef): boolean {
    return place !== undefined && host === this.host && processEnded(place.pid);
  }

  /** Moves the least recently used object that nobody reads to disk. @returns false when there is none */
  async #spill(): Promise<boolean> {
    for (const entry of this.#own.values()) {
      const { at: segment, use, spilling, ref } = entry;
      if (typeof segment === "number" || use !== "put" || spilling || !isIdle(segment)) continue;
      entry.spilling = true;
      const content = new Uint8Array(segment.buffer, 0, headerBytes + ref.bytes);
      const file = await this.#write(ref.id, slices(content), ref.bytes).finally(() => {
        entry.spilling = false;
      });
      const freed = this.#own.get(ref.id) !== entry;
      if (!freed && isIdle(segment)) {
        entry.at = file;
        this.#memory.give(segment);
        return true;
      }
      closeSync(file);
      this.#memory.freeDisk(ref.bytes);
      if (freed) return true;
    }
    return false;
  }

  async #write(id: string, content: Iterable<Uint8Array>, bytes: number): Promise<number> {
    this.#memory.claimDisk(bytes);
    try {
      return await writeNameless(this.#dir, id, content);
    } catch (error) {
      this.#memory.freeDisk(bytes);
      throw error;
    }
  }

  #expire(): void {
    const before = Date.now() - leaseMs;
    let left = 0;
    for (const [id, { use, createdAt }] of this.#own) {
      if (use !== "tell" && use !== "result") continue;
      if (createdAt < before) this.drop(id);
      else left++;
    }
    if (left > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

function lay(encoded: Encoded, into: Uint8Array): void {
  let at = 0;
  for (const piece of pieces(encoded)) {
    if (piece.length < slowBytes) into.set(piece, at);
    else copyBytesNow(into.subarray(at), piece);
    at += piece.length;
  }
}

function* slices(content: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < content.length; start += sliceBytes) yield content.subarray(start, start + sliceBytes);
}
