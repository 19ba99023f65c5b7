// Actors of the objects' end-to-end tests; here so that every node can load them.
import { once } from "node:events";
import { defineActor } from "../core/definition.js";
import type { ActorContext } from "../hosting/instance.js";
import type { ObjectRef } from "./ref.js";

/** Puts, gets, takes and gives large values. */
class Keeper {
  #context: ActorContext | undefined;
  #held: unknown[] = [];
  readonly #told: number[] = [];

  onStart(context: ActorContext) {
    this.#context = context;
  }
  pid() {
    return process.pid;
  }
  put(bytes: number, value: number): Promise<ObjectRef<Uint8Array>> {
    return this.#context!.system.put(new Uint8Array(bytes).fill(value));
  }
  /** Keeps what it got, and tells the sum of its bytes. */
  async hold(ref: ObjectRef<Uint8Array>): Promise<number> {
    const value = await this.#context!.system.get(ref);
    this.#held.push(value);
    return sum(value);
  }
  sumOf(value: Uint8Array): number {
    return sum(value);
  }
  heldSum(): number {
    return this.#held.reduce((all: number, each) => all + sum(each as Uint8Array), 0);
  }
  take({ data, name }: { data: Float64Array; name: string }): {
    name: string;
    length: number;
    last: number | undefined;
  } {
    return { name, length: data.length, last: data.at(-1) };
  }
  give(bytes: number, value: number): Uint8Array {
    return new Uint8Array(bytes).fill(value);
  }
  echo<T>(value: T): T {
    return value;
  }
  async *parts(count: number, bytes: number) {
    for (let i = 0; i < count; i++) yield new Uint8Array(bytes).fill(i);
  }
  tellOf(value: Uint8Array) {
    this.#told.push(sum(value));
  }
  told(): number[] {
    return this.#told;
  }
  /** Waits for its caller to give up. */
  async wait(_value: Uint8Array) {
    await once(this.#context!.call.signal, "abort");
  }
}

function sum(bytes: Uint8Array): number {
  let all = 0;
  for (let i = 0; i < bytes.length; i++) all += bytes[i]!;
  return all;
}

export const keeper = defineActor({
  name: "test.objects",
  module: import.meta.url,
  class: Keeper,
  shared: ["wait", "told"],
});
