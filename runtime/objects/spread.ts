import type { EndpointId } from "../core/ids.js";

const fanOut = 2;
const grantMs = 60_000; // whoever has not said by then that it is done has ended

/** Who pulls an object. */
export interface Taker {
  endpoint: EndpointId;
  host: string;
  pid: number;
}

interface Passing {
  /** Who pulls from here now, and until when that counts. */
  readonly grants: Map<EndpointId, number>;
  /** Who has pulled it, the next to be named first. */
  holders: Taker[];
  /** Who pulls it for all of its host. */
  readonly fetching: Map<string, Taker>;
}

/**
 * Who pulls an object from whom: one of each host, from which the others take it. Only two at once from one process: the
 * next are sent to those who have it already, so a broadcast spreads as a tree.
 */
export class Spread {
  readonly #objects = new Map<string, Passing>();

  /** Another of its host that has it or pulls it; without one, the taker is from now on who pulls. For the owner to say. */
  near(id: string, taker: Taker): Taker | undefined {
    const passing = this.#of(id);
    const { fetching } = passing;
    passing.holders = passing.holders.filter((each) => each.endpoint !== taker.endpoint); // or it would not ask
    const other = passing.holders.find(({ host }) => host === taker.host) ?? fetching.get(taker.host);
    if (other && other.endpoint !== taker.endpoint) return other;
    fetching.set(taker.host, taker);
    return undefined;
  }

  /** @returns "here", another that has it, or "wait" */
  next(id: string, { endpoint }: Taker, now = performance.now()): "here" | "wait" | Taker {
    const passing = this.#of(id);
    const { grants, holders } = passing;
    for (const [each, until] of grants) if (until < now) grants.delete(each);
    if (grants.has(endpoint) || grants.size < fanOut) {
      grants.set(endpoint, now + grantMs);
      return "here";
    }
    const holder = holders.find((each) => each.endpoint !== endpoint);
    if (!holder) return "wait";
    passing.holders = [...holders.filter((each) => each !== holder), holder];
    return holder;
  }

  /** A process no longer pulls. @param holds whether it has the object now */
  ended(id: string, taker: Taker, holds: boolean): void {
    const passing = this.#objects.get(id);
    if (!passing) return;
    const { grants, fetching } = passing;
    grants.delete(taker.endpoint);
    if (fetching.get(taker.host)?.endpoint === taker.endpoint) fetching.delete(taker.host);
    passing.holders = passing.holders.filter(({ endpoint }) => endpoint !== taker.endpoint);
    if (holds) passing.holders.push(taker);
  }

  forget(id: string): void {
    this.#objects.delete(id);
  }

  #of(id: string): Passing {
    let passing = this.#objects.get(id);
    if (!passing) {
      passing = { grants: new Map(), holders: [], fetching: new Map() };
      this.#objects.set(id, passing);
    }
    return passing;
  }
}
