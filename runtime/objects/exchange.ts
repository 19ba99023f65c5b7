import type { Segment } from "../../native/index.js";
import type { Endpoint } from "../core/endpoint.js";
import { ActorsError, isActorsError } from "../core/errors.js";
import type { EndpointId } from "../core/ids.js";
import { pause } from "../core/wait.js";
import { objectsHandle } from "./control.js";
import { freed, ownerOf } from "./lost.js";
import type { ObjectRef } from "./ref.js";
import { headerBytes, headerOf, mapObject, type Place, placeOf } from "./segment.js";
import { Spread } from "./spread.js";
import { type Address, chunksOf, pull, TransferServer } from "./transfer.js";

const askMs = 5_000;
const waitMs = 20; // until asking again whose turn it is
const turnMs = 60_000;
const sources = 3; // an object is pulled from, one after the other, before that fails

/** Where to pull an object: here, from another that has it, or later, when neither is said. */
export interface Source {
  address?: Address;
  ask?: EndpointId;
}

/** Objects on their way to and from other hosts. What was pulled is kept, and given on, while anyone refers to it. */
export class Exchange {
  readonly #endpoint: Endpoint;
  readonly #token: string | undefined;
  readonly #own: (id: string) => { place: Place; bytes: number } | undefined;
  readonly #take: (bytes: number) => Promise<Segment>;
  readonly #give: (segment: Segment) => void;
  readonly #copies = new Map<string, { segment: Segment; bytes: number }>();
  readonly #pulling = new Map<string, Promise<ArrayBuffer>>();
  readonly #spread = new Spread();
  #server: TransferServer | undefined;

  /** @param on.own an object of this process; @param on.take memory, which `give` takes back */
  constructor(on: {
    endpoint: Endpoint;
    token: string | undefined;
    own(id: string): { place: Place; bytes: number } | undefined;
    take(bytes: number): Promise<Segment>;
    give(segment: Segment): void;
  }) {
    this.#endpoint = on.endpoint;
    this.#token = on.token;
    this.#own = on.own;
    this.#take = on.take;
    this.#give = on.give;
  }

  /** @throws ActorsError NOT_FOUND, UNAVAILABLE */
  async serve(id: string, taker: EndpointId): Promise<Source> {
    if (!this.#find(id)) throw freed(id);
    const token = this.#tokenFor(id);
    const next = this.#spread.next(id, taker);
    if (next === "wait") return {};
    if (next !== "here") return { ask: next };
    this.#server ??= new TransferServer(token, process.env["ACTORS_HOST_ADDRESS"] ?? "127.0.0.1", (wanted) => {
      const at = this.#find(wanted);
      const buffer = at && mapObject(at.place, wanted);
      return buffer && new Uint8Array(buffer, headerBytes, at.bytes);
    });
    return { address: await this.#server.address };
  }

  /** @param holds whether the taker has it now, and gives it on */
  ended(id: string, taker: EndpointId, holds: boolean): void {
    this.#spread.ended(id, taker, holds);
  }

  /** The memory of a copy of another host's object. @throws ActorsError NOT_FOUND, UNAVAILABLE, RESOURCE_EXHAUSTED */
  fetch(ref: ObjectRef): Promise<ArrayBuffer> {
    let pulling = this.#pulling.get(ref.id);
    if (!pulling) {
      pulling = this.#fetch(ref).finally(() => this.#pulling.delete(ref.id));
      this.#pulling.set(ref.id, pulling);
    }
    return pulling;
  }

  /** The object is freed, or nobody refers to its copy any more. */
  forget(id: string): void {
    this.#spread.forget(id);
    const copy = this.#copies.get(id);
    this.#copies.delete(id);
    if (copy) this.#give(copy.segment);
  }

  close(): void {
    this.#server?.close();
    for (const id of [...this.#copies.keys()]) this.forget(id);
  }

  async #fetch(ref: ObjectRef): Promise<ArrayBuffer> {
    const { id, bytes } = ref;
    const token = this.#tokenFor(id);
    const segment = await this.#take(headerBytes + bytes);
    const into = new Uint8Array(segment.buffer, headerBytes, bytes);
    const left = chunksOf(into);
    const me = this.#endpoint.id;
    const owner = ref.state.endpoint;
    try {
      for (let tries = 1; ; tries++) {
        const { address, from } = await this.#turn(ref);
        const failure = await pull(address, token, id, into, left).then(
          () => undefined,
          (error: unknown) => error,
        );
        const holds = failure === undefined;
        for (const each of new Set([from, owner])) this.#tell(each, id, me, holds);
        if (holds) break;
        if (from !== owner) this.#tell(owner, id, from, false);
        if (tries === sources || (isActorsError(failure, "NOT_FOUND") && from === owner)) throw failure;
      }
      new Uint8Array(segment.buffer).set(headerOf(id, bytes));
      const buffer = mapObject(placeOf(segment), id);
      if (!buffer) throw new ActorsError("INTERNAL", `the copy of object ${id} cannot be mapped`);
      this.forget(id); // an older copy that nobody refers to
      this.#copies.set(id, { segment, bytes });
      return buffer;
    } catch (error) {
      this.#give(segment);
      throw error;
    }
  }

  /** Waits until this process may pull, and says from whom. */
  async #turn(ref: ObjectRef): Promise<{ address: Address; from: EndpointId }> {
    const owner = ref.state.endpoint;
    for (const until = performance.now() + turnMs; performance.now() < until; await pause(waitMs)) {
      const said = await this.#ask(ref, owner);
      if (said.address) return { address: said.address, from: owner };
      if (!said.ask) continue;
      const from = said.ask;
      const other = await this.#ask(ref, from).catch(() => this.#tell(owner, ref.id, from, false));
      if (other?.address) return { address: other.address, from };
    }
    throw new ActorsError("UNAVAILABLE", `object ${ref.id} of ${ownerOf(ref)}: too many pull it at once`);
  }

  async #ask(ref: ObjectRef, holder: EndpointId): Promise<Source> {
    try {
      const { serve } = objectsHandle(this.#endpoint.calls, holder);
      return await serve.with({ timeoutMs: askMs })(ref.id, this.#endpoint.id);
    } catch (cause) {
      if (!isActorsError(cause, "DEADLINE_EXCEEDED")) throw cause;
      const text = `object ${ref.id} cannot be had: its owner ${ownerOf(ref)} does not answer`;
      throw new ActorsError("UNAVAILABLE", text, { cause });
    }
  }

  /** Not heard, it is found out in time. */
  #tell(holder: EndpointId, id: string, taker: EndpointId, holds: boolean): undefined {
    const { ended } = objectsHandle(this.#endpoint.calls, holder);
    ended
      .with({ timeoutMs: askMs })(id, taker, holds)
      .catch(() => {});
  }

  #find(id: string): { place: Place; bytes: number } | undefined {
    const copy = this.#copies.get(id);
    return copy ? { place: placeOf(copy.segment), bytes: copy.bytes } : this.#own(id);
  }

  #tokenFor(id: string): string {
    if (this.#token !== undefined) return this.#token;
    throw new ActorsError(
      "UNAVAILABLE",
      `object ${id} lies on another host, and this process knows no token to pull it`,
    );
  }
}
