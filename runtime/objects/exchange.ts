import type { Segment } from "../../native/index.js";
import type { Endpoint } from "../core/endpoint.js";
import { ActorsError, isActorsError } from "../core/errors.js";
import { pause } from "../core/wait.js";
import { objectsHandle } from "./control.js";
import { freed, ownerOf, processEnded } from "./lost.js";
import type { ObjectRef } from "./ref.js";
import { headerBytes, headerOf, isIdle, mapObject, type Place, placeOf } from "./segment.js";
import { Spread, type Taker } from "./spread.js";
import { type Address, chunksOf, pull, TransferServer } from "./transfer.js";

const askMs = 5_000;
const waitMs = 20; // until asking again whose turn it is
const turnMs = 60_000;
const sources = 3; // an object is pulled from, one after the other, before that fails
const stillMs = 1_000; // after which a copy on its way is said to be just that
const watchMs = 50; // how often whoever pulls for this host is seen to live
const sweepMs = 5_000;

/** Where to pull an object: here, from another that has it, or later, when nothing is said. */
export interface Source {
  address?: Address;
  ask?: Taker;
  /** On the taker's own host: it has the object or pulls it for all. */
  near?: Taker;
}

interface Copy {
  place: Place;
  bytes: number;
  /** Undefined of what another process of the host pulled. */
  segment: Segment | undefined;
}

/**
 * Objects on their way to and from other hosts. One process pulls for its host; what was pulled is kept, and given on,
 * while anyone of the host refers to it.
 */
export class Exchange {
  readonly #endpoint: Endpoint;
  readonly #me: Taker;
  readonly #token: string | undefined;
  readonly #encrypts: boolean;
  readonly #own: (id: string) => { place: Place; bytes: number } | undefined;
  readonly #take: (bytes: number) => Promise<Segment>;
  readonly #give: (segment: Segment) => void;
  readonly #copies = new Map<string, Copy>();
  /** Copies that only other processes may still read. */
  readonly #unused = new Set<string>();
  readonly #pulling = new Map<string, Promise<void>>();
  readonly #spread = new Spread();
  #server: TransferServer | undefined;
  #sweep: NodeJS.Timeout | undefined;

  /** @param on.own an object of this process; @param on.take memory, which `give` takes back */
  constructor(on: {
    endpoint: Endpoint;
    host: string;
    token: string | undefined;
    encrypts?: boolean;
    own(id: string): { place: Place; bytes: number } | undefined;
    take(bytes: number): Promise<Segment>;
    give(segment: Segment): void;
  }) {
    this.#endpoint = on.endpoint;
    this.#me = { endpoint: on.endpoint.id, host: on.host, pid: process.pid };
    this.#token = on.token;
    this.#encrypts = on.encrypts === true;
    this.#own = on.own;
    this.#take = on.take;
    this.#give = on.give;
  }

  /** @throws ActorsError NOT_FOUND, UNAVAILABLE */
  async serve(id: string, taker: Taker): Promise<Source> {
    if (!this.#find(id)) throw freed(id);
    const token = this.#tokenFor(id);
    const near = this.#own(id) && this.#spread.near(id, taker);
    if (near) return { near };
    const next = this.#spread.next(id, taker);
    if (next === "wait") return {};
    if (next !== "here") return { ask: next };
    const read = (wanted: string) => {
      const at = this.#find(wanted);
      const buffer = at && mapObject(at.place, wanted);
      return buffer && new Uint8Array(buffer, headerBytes, at.bytes);
    };
    const host = process.env["ACTORS_HOST_ADDRESS"] ?? "127.0.0.1";
    this.#server ??= new TransferServer(token, host, read, this.#encrypts);
    return { address: await this.#server.address };
  }

  /** @param holds whether the taker has it now, and gives it on */
  ended(id: string, taker: Taker, holds: boolean): void {
    this.#spread.ended(id, taker, holds);
  }

  /** Where others of this host find the copy; undefined while it is still on its way. @throws ActorsError NOT_FOUND */
  async copied(id: string): Promise<Place | undefined> {
    const pulling = this.#pulling.get(id);
    if (pulling) await Promise.race([pulling.catch(() => {}), pause(stillMs)]);
    const copy = this.#copies.get(id);
    if (!copy && !this.#pulling.has(id)) throw freed(id);
    return copy?.place;
  }

  /** Bytes that other hosts pulled from here. */
  get given(): number {
    return this.#server?.given ?? 0;
  }

  /**
   * A new mapping of a copy of another host's object.
   * @throws ActorsError NOT_FOUND, UNAVAILABLE, RESOURCE_EXHAUSTED
   */
  async fetch(ref: ObjectRef): Promise<ArrayBuffer> {
    const { id } = ref;
    for (let tries = 0; tries <= sources; tries++) {
      const copy = this.#copies.get(id);
      const buffer = copy && mapObject(copy.place, id);
      if (buffer) return buffer;
      if (copy) this.forget(id); // whoever pulled it has let go of it
      let pulling = this.#pulling.get(id);
      if (!pulling) {
        pulling = this.#fetch(ref).finally(() => this.#pulling.delete(id));
        this.#pulling.set(id, pulling);
      }
      await pulling;
    }
    throw new ActorsError("UNAVAILABLE", `the copy of object ${id} cannot be mapped`);
  }

  /** Nobody in this process refers to the object's copy any more; others of the host may. */
  unused(id: string): void {
    const segment = this.#copies.get(id)?.segment;
    if (!segment || isIdle(segment)) return this.forget(id);
    this.#unused.add(id);
    this.#sweep ??= setInterval(() => this.#forgetUnused(), sweepMs).unref();
  }

  /** The object is freed, or nobody refers to its copy any more. */
  forget(id: string): void {
    this.#spread.forget(id);
    this.#unused.delete(id);
    const copy = this.#copies.get(id);
    this.#copies.delete(id);
    if (copy?.segment) this.#give(copy.segment);
  }

  close(): void {
    this.#server?.close();
    clearInterval(this.#sweep);
    for (const id of [...this.#copies.keys()]) this.forget(id);
  }

  #forgetUnused(): void {
    for (const id of this.#unused) {
      const segment = this.#copies.get(id)?.segment;
      if (!segment || isIdle(segment)) this.forget(id);
    }
    if (this.#unused.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  async #fetch(ref: ObjectRef): Promise<void> {
    const { id, bytes } = ref;
    const token = this.#tokenFor(id);
    const owner = takerOf(ref);
    let segment: Segment | undefined;
    let left: number[] | undefined;
    try {
      for (let tries = 1; ; tries++) {
        const turn = await this.#turn(ref);
        if ("place" in turn) {
          if (segment) this.#give(segment);
          this.#copies.set(id, { place: turn.place, bytes, segment: undefined });
          return;
        }
        const { address, from } = turn;
        segment ??= await this.#take(headerBytes + bytes);
        const into = new Uint8Array(segment.buffer, headerBytes, bytes);
        left ??= chunksOf(into);
        const failure = await pull(address, token, id, into, left).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure === undefined) {
          new Uint8Array(segment.buffer).set(headerOf(id, bytes));
          this.#copies.set(id, { place: placeOf(segment), bytes, segment });
        }
        const others = from.endpoint === owner.endpoint ? [owner] : [owner, from];
        for (const each of others) this.#tell(each, id, this.#me, failure === undefined);
        if (failure === undefined) return;
        if (others.length > 1) this.#tell(owner, id, from, false);
        if (tries === sources || (isActorsError(failure, "NOT_FOUND") && others.length === 1)) throw failure;
      }
    } catch (error) {
      if (segment) this.#give(segment);
      this.#tell(owner, id, this.#me, false);
      throw error;
    }
  }

  /** Waits until the object is on this host, or until this process may pull it, and says from whom. */
  async #turn(ref: ObjectRef): Promise<{ address: Address; from: Taker } | { place: Place }> {
    const owner = takerOf(ref);
    for (let until = performance.now() + turnMs; performance.now() < until; await pause(waitMs)) {
      const said = await this.#ask(ref, owner);
      if (said.near) {
        const found = await this.#attach(ref, said.near);
        if (found !== "gone" && found !== "coming") return { place: found };
        if (found === "coming") until = performance.now() + turnMs; // whoever pulls it has deadlines of its own
      }
      if (said.address) return { address: said.address, from: owner };
      if (!said.ask) continue;
      const from = said.ask;
      const other = await this.#ask(ref, from).catch(() => this.#tell(owner, ref.id, from, false));
      if (other?.address) return { address: other.address, from };
    }
    throw new ActorsError("UNAVAILABLE", `object ${ref.id} of ${ownerOf(ref)}: too many pull it at once`);
  }

  /** The copy of another process of this host, which is waited for no longer than that process lives. */
  async #attach(ref: ObjectRef, near: Taker): Promise<Place | "coming" | "gone"> {
    const ended = new AbortController();
    const watch = setInterval(() => processEnded(near.pid) && ended.abort(), watchMs);
    try {
      const { copied } = objectsHandle(this.#endpoint.calls, near.endpoint);
      const place = await copied.with({ timeoutMs: askMs, signal: ended.signal })(ref.id);
      if (!place) return "coming";
      if (mapObject(place, ref.id)) return place;
    } catch {
      // It has none, has ended or does not answer: another takes over.
    } finally {
      clearInterval(watch);
    }
    this.#tell(takerOf(ref), ref.id, near, false);
    return "gone";
  }

  async #ask(ref: ObjectRef, { endpoint }: Taker): Promise<Source> {
    try {
      const { serve } = objectsHandle(this.#endpoint.calls, endpoint);
      return await serve.with({ timeoutMs: askMs })(ref.id, this.#me);
    } catch (cause) {
      if (!isActorsError(cause, "DEADLINE_EXCEEDED")) throw cause;
      const text = `object ${ref.id} cannot be had: its owner ${ownerOf(ref)} does not answer`;
      throw new ActorsError("UNAVAILABLE", text, { cause });
    }
  }

  /** Not heard, it is found out in time. */
  #tell({ endpoint }: Taker, id: string, taker: Taker, holds: boolean): undefined {
    const { ended } = objectsHandle(this.#endpoint.calls, endpoint);
    ended
      .with({ timeoutMs: askMs })(id, taker, holds)
      .catch(() => {});
  }

  #find(id: string): { place: Place; bytes: number } | undefined {
    const copy = this.#copies.get(id);
    return copy ?? this.#own(id);
  }

  #tokenFor(id: string): string {
    if (this.#token !== undefined) return this.#token;
    throw new ActorsError(
      "UNAVAILABLE",
      `object ${id} lies on another host, and this process knows no token to pull it`,
    );
  }
}

const takerOf = ({ state: { endpoint, host, place } }: ObjectRef): Taker => ({ endpoint, host, pid: place?.pid ?? 0 });
