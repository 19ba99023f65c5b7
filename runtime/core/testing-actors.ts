// Actors of this folder's tests. A test file of its own would be loaded, and run, by every thread that hosts one of them.
import type { ActorContext } from "../hosting/instance.js";
import { defineActor } from "./definition.js";
import type { ActorsError } from "./errors.js";
import type { Handle } from "./handle.js";

export class Counter {
  #n: number;
  #context: ActorContext | undefined;
  readonly closed: string[] = [];

  constructor(start = 0) {
    this.#n = start;
  }
  onStart(context: ActorContext) {
    this.#context = context;
  }
  add(k: number) {
    this.#n += k;
    return this.#n;
  }
  async addSlowly(k: number) {
    const before = this.#n;
    await new Promise((resolve) => setImmediate(resolve));
    this.#n = before + k;
    return this.#n;
  }
  async peek() {
    return this.#n;
  }
  async *upTo(n: number) {
    try {
      for (let i = 0; i < n; i++) yield i;
    } finally {
      this.closed.push(`upTo ${n}`);
    }
  }
  async *failAfter(n: number) {
    for (let i = 0; i < n; i++) yield i;
    throw new RangeError("no more");
  }
  closings() {
    return this.closed;
  }
  boom() {
    throw Object.assign(new TypeError("bad input"), { code: "E_BAD" });
  }
  keep(list: number[]) {
    list.push(99);
    return list;
  }
  addTo(other: Handle<Counter>, k: number) {
    return other.add(k);
  }
  async hang() {
    const { signal } = this.#context!.call;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    this.closed.push(`hang: ${(signal.reason as ActorsError).code}`);
  }
  echo(value: unknown) {
    return value;
  }
}

export const counter = defineActor({
  name: "test.counter",
  module: import.meta.url,
  class: Counter,
  shared: ["peek", "hang"],
});

export type Seen = string | undefined;

export class Hop {
  #context: ActorContext | undefined;
  #hear: (trace: Seen) => void = () => {};
  readonly #heard = new Promise<Seen>((resolve) => {
    this.#hear = resolve;
  });
  onStart(context: ActorContext) {
    this.#context = context;
  }
  see(): Seen {
    return this.#context!.call.trace;
  }
  /** What it saw, then what those see that it calls after an await, at once, and in a stream. */
  async ask(other: Handle<Hop>): Promise<Seen[]> {
    const own = this.see();
    await new Promise((resolve) => setTimeout(resolve, 1));
    const both = await Promise.all([other.see(), other.see()]);
    return [own, ...both];
  }
  async *relay(other: Handle<Hop>) {
    yield await other.see();
    yield await other.see();
  }
  async tell(other: Handle<Hop>): Promise<void> {
    await null;
    other.hear.tell();
  }
  hear() {
    this.#hear(this.see());
  }
  /** What `hear` saw, once it was told. */
  told(): Promise<Seen> {
    return this.#heard;
  }
}
export const hop = defineActor({ name: "test.hop", module: import.meta.url, class: Hop, shared: ["told"] });

class Reader {
  #context: ActorContext | undefined;
  #lives = 0;
  heard: string[] = [];
  onStart(context: ActorContext) {
    this.#context = context;
  }
  async sum(numbers: AsyncIterable<number>) {
    let sum = 0;
    for await (const n of numbers) sum += n;
    return sum;
  }
  async sums(a: AsyncIterable<number>, factor: number, b: AsyncIterable<number>) {
    return factor * ((await this.sum(a)) + (await this.sum(b)));
  }
  async take(count: number, numbers: AsyncIterable<number>) {
    const taken: number[] = [];
    for await (const n of numbers) if (taken.push(n) === count) break;
    return taken;
  }
  async *double(numbers: AsyncIterable<number>) {
    for await (const n of numbers) yield 2 * n;
  }
  async hear(numbers: AsyncIterable<number>) {
    try {
      await this.sum(numbers);
    } catch (error) {
      this.heard.push((error as ActorsError).message);
    }
    return this.heard;
  }
  ignore(_numbers: AsyncIterable<number>) {
    if (this.#lives++ === 0) throw new RangeError("not interested");
    return this.#context!.epoch;
  }
  async *large(count: number, bytes: number) {
    for (let i = 0; i < count; i++) {
      this.heard.push("made");
      yield new Uint8Array(bytes);
    }
  }
  made() {
    return this.heard.length;
  }
}
export const reader = defineActor({
  name: "test.reader",
  module: import.meta.url,
  class: Reader,
  shared: ["made"],
});
