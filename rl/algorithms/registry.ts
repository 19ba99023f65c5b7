import { ActorsError } from "../../runtime/index.js";
import { suggest } from "./suggest.js";

/** Named algorithms of one kind; a configuration names one of them, or the path of a module with another. */
export class Registry<T> {
  readonly #kind: string;
  readonly #known: Map<string, T>;
  readonly #exported: (module: Record<string, unknown>) => T | undefined;

  /** `exported`: what a module offers, undefined when it is none of this kind. */
  constructor(kind: string, known: Record<string, T>, exported: (module: Record<string, unknown>) => T | undefined) {
    this.#kind = kind;
    this.#known = new Map(Object.entries(known));
    this.#exported = exported;
  }

  register(name: string, algorithm: T): void {
    this.#known.set(name, algorithm);
  }

  names(): string[] {
    return [...this.#known.keys()];
  }

  /**
   * A registered name, or `./module.js`, resolved from `baseUrl`; a file URL as it is.
   * @throws ActorsError NOT_FOUND for an unknown name, INVALID_ARGUMENT for a module without one
   */
  async load(name: string, baseUrl: string): Promise<T> {
    const known = this.#known.get(name);
    if (known) return known;
    if (!isModulePath(name)) {
      throw new ActorsError("NOT_FOUND", `no ${this.#kind} is named ${name}${suggest(name, this.#known.keys())}`);
    }
    const found = this.#exported((await import(new URL(name, baseUrl).href)) as Record<string, unknown>);
    if (found) return found;
    throw new ActorsError("INVALID_ARGUMENT", `${name} exports no ${this.#kind}`);
  }
}

export function isModulePath(name: string): boolean {
  return /^([./]|file:).*\.[cm]?js$/.test(name);
}
