import { actors } from "#protos";
import type { Location, Resolver } from "../directory/directory.js";
import type { Send } from "./calls.js";
import { type Held, Hold, type Told } from "./hold.js";
import type { ActorId, EndpointId } from "./ids.js";
import type { Frame } from "./outbox.js";
import type { Pending } from "./pending.js";

const { FrameKind } = actors.v1;

/**
 * What an endpoint holds back while the mailboxes it is for are full.
 *
 * A mailbox that had no room for a call refuses all that follows from here, so that nothing overtakes. With the first
 * that comes back this side sends no more (WANT says so), and when there is ROOM sends as many as it may, in order.
 */
export class Holds {
  readonly #send: Send;
  readonly #resolver: Resolver;
  readonly #dispatch: (pending: Pending) => void;
  readonly #holds = new Map<string, Hold>();

  #asks = 0;

  constructor(send: Send, resolver: Resolver, dispatch: (pending: Pending) => void) {
    this.#send = send;
    this.#resolver = resolver;
    this.#dispatch = dispatch;
  }

  find(actor: ActorId, shared: boolean): Hold | undefined {
    return this.#holds.size === 0 ? undefined : this.#holds.get(keyOf(actor, shared));
  }

  /** What is for an actor that does not run now, but will when it is called. */
  open(actor: ActorId, shared: boolean): Hold {
    const hold = new Hold(actor, shared, 0);
    this.#holds.set(keyOf(actor, shared), hold);
    return hold;
  }

  /** Whether anything is held for the actor. */
  holdsFor(actor: ActorId): boolean {
    return [false, true].some((shared) => (this.find(actor, shared)?.size ?? 0) > 0);
  }

  /** FULL: there was no room for a tell, or for this call. */
  returned(from: EndpointId, frame: Frame, pending: Pending | undefined): void {
    const actor = frame.actor as ActorId;
    const { endpoint, epoch, state } = this.#resolver.resolve(actor);
    if (endpoint !== from) return;
    if (epoch !== frame.epoch || state === "gone") return; // sent again already, or lost with its incarnation
    const shared = frame.shared === true;
    let hold = this.find(actor, shared);
    if (!hold) {
      hold = new Hold(actor, shared, epoch);
      this.#holds.set(keyOf(actor, shared), hold);
      this.#want(hold);
    }
    if (frame.method) hold.takeBack(toldAgain(frame));
    else if (pending && !pending.hold && pending.epoch === epoch) takeBack(hold, pending);
  }

  /** Whether a call waits here. One whose answer may be lost does, if what was sent before it came back. */
  has(pending: Pending): boolean {
    if (pending.hold) return true;
    const hold = this.find(pending.actor, pending.method.shared);
    if (!hold || hold.epoch !== pending.epoch || !hold.follows(pending.id)) return false;
    takeBack(hold, pending);
    return true;
  }

  /** ROOM. */
  enter({ id, actor, shared, credit }: Frame): void {
    const hold = this.find(actor as ActorId, shared === true);
    if (!hold || hold.ask !== id) return;
    for (const held of hold.take(credit!)) this.#sendHeld(held);
    if (hold.size > 0) this.#want(hold);
    else this.#holds.delete(keyOf(hold.actor, hold.shared));
  }

  /** Another incarnation has a mailbox of its own. @returns the tells, oldest first; the calls are held no longer */
  release(actor: ActorId, at: Location): Told[] {
    const tells: Told[] = [];
    if (at.state !== "gone" && at.state !== "running") return tells;
    for (const shared of [false, true]) {
      const hold = this.find(actor, shared);
      if (!hold || (at.state === "running" && at.epoch === hold.epoch)) continue;
      this.#holds.delete(keyOf(actor, shared));
      for (const held of hold.take(hold.size)) {
        if ("actor" in held) held.hold = undefined;
        else tells.push(held);
      }
    }
    return tells.sort((a, b) => a.id - b.id);
  }

  /** The word of room may be lost. */
  askAgain(afterMs: number): void {
    const due = performance.now() - afterMs;
    for (const hold of this.#holds.values()) if (hold.askedAt <= due) this.#want(hold);
  }

  #want(hold: Hold): void {
    hold.askedAt = performance.now();
    hold.ask = ++this.#asks;
    const { actor, shared } = hold;
    const { state, endpoint } = this.#resolver.resolve(actor);
    if (state === "running") this.#send(endpoint, { kind: FrameKind.WANT, id: hold.ask, actor, shared });
  }

  #sendHeld(held: Held): void {
    if (!("actor" in held)) return this.send(held);
    held.hold = undefined;
    this.#dispatch(held);
  }

  send(told: Told): void {
    const { state, endpoint, epoch } = this.#resolver.resolve(told.frame.actor as ActorId);
    try {
      if (state === "running") this.#send(endpoint, { ...told.frame, epoch });
    } catch {} // no room on the way either: a tell may be lost
    told.sent();
  }
}

function takeBack(hold: Hold, pending: Pending): void {
  pending.sentTo = undefined;
  pending.hold = hold;
  hold.takeBack(pending);
}

const keyOf = (actor: ActorId, shared: boolean) => (shared ? `${actor}&` : actor);

function toldAgain({ id, actor, method, codec, payload, trace }: Frame): Told {
  const frame: Frame = {
    kind: FrameKind.TELL,
    id: id!,
    actor: actor!,
    method: method!,
    codec: codec!,
    payload: payload!,
    waits: true,
  };
  if (trace) frame.trace = trace;
  return { id: id!, payload: payload!, frame, sent() {} };
}
