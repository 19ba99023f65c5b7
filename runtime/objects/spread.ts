import type { EndpointId } from "../core/ids.js";

const fanOut = 2;
const grantMs = 60_000; // whoever has not said by then that it is done has ended

interface Passing {
  /** Who pulls from here now, and until when that counts. */
  readonly grants: Map<EndpointId, number>;
  /** Who has pulled it, the next to be named first. */
  holders: EndpointId[];
}

/**
 * Who pulls an object from whom. Only two at once from one process: the others are sent to those who have it already, so
 * a broadcast spreads as a tree.
 */
export class Spread {
  readonly #objects = new Map<string, Passing>();

  /** @returns "here", another that has it, or "wait" */
  next(id: string, taker: EndpointId, now = performance.now()): "here" | "wait" | EndpointId {
    let passing = this.#objects.get(id);
    if (!passing) {
      passing = { grants: new Map(), holders: [] };
      this.#objects.set(id, passing);
    }
    const { grants, holders } = passing;
    for (const [each, until] of grants) if (until < now) grants.delete(each);
    if (grants.has(taker) || grants.size < fanOut) {
      grants.set(taker, now + grantMs);
      return "here";
    }
    const holder = holders.find((each) => each !== taker);
    if (!holder) return "wait";
    passing.holders = [...holders.filter((each) => each !== holder), holder];
    return holder;
  }

  /** A process no longer pulls from here. @param holds whether it has the object now */
  ended(id: string, taker: EndpointId, holds: boolean): void {
    const passing = this.#objects.get(id);
    if (!passing) return;
    passing.grants.delete(taker);
    passing.holders = passing.holders.filter((each) => each !== taker);
    if (holds) passing.holders.push(taker);
  }

  forget(id: string): void {
    this.#objects.delete(id);
  }
}
