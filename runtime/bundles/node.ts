import { join } from "node:path";
import { ActorsError } from "../core/errors.js";
import {
  type Installed,
  listInstalled,
  lockOf,
  markUsed,
  openCache,
  removeInstalled,
  sweep,
  touch,
  unmark,
} from "./cache.js";
import { install } from "./install.js";
import { withLock } from "./lock.js";
import { bundleOf, installMs, short, urlIn } from "./names.js";
import type { BundleStore } from "./store.js";

/** A module of a bundle that is installed here; it stays until it is released. */
export interface InUse {
  url: string;
  release(): void;
}

interface Held {
  dir: Promise<string>;
  users: number;
}

/** A node's bundles: installs what it is to start, once, and keeps it while it hosts actors of it. */
export class NodeBundles {
  readonly #store: Pick<BundleStore, "get">;
  readonly #installed: (hash: string, note: Installed) => void;
  readonly #closing = new AbortController();
  readonly #held = new Map<string, Held>();

  /** @param installed told after each install that this node did itself */
  constructor(store: Pick<BundleStore, "get">, installed: (hash: string, note: Installed) => void = () => {}) {
    this.#store = store;
    this.#installed = installed;
  }

  /**
   * Undefined for a module that is named by its URL.
   * @throws ActorsError START_FAILED, INVALID_ARGUMENT (a path that leads out of the bundle), DEADLINE_EXCEEDED, CANCELLED
   */
  async use(module: string): Promise<InUse | undefined> {
    const hash = bundleOf(module);
    if (hash === undefined) return undefined;
    urlIn("/", module); // throws for a name that is none
    const held: Held = this.#held.get(hash) ?? { dir: this.#take(hash), users: 0 };
    this.#held.set(hash, held);
    held.users++;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      if (--held.users === 0) this.#letGo(hash, held);
    };
    try {
      return { url: urlIn(await held.dir, module), release };
    } catch (error) {
      this.#letGo(hash, held); // the next start tries again
      throw error;
    }
  }

  list(): Installed[] {
    return listInstalled();
  }

  remove(hash: string): Promise<boolean> {
    return removeInstalled(hash);
  }

  /** Ends installs that are under way. */
  close(): void {
    this.#closing.abort(new ActorsError("CANCELLED", "the node stops"));
  }

  async #take(hash: string): Promise<string> {
    const cache = openCache();
    const dir = join(cache, hash);
    const { signal } = this.#closing;
    await withLock(
      lockOf(cache, hash),
      { what: `the install of bundle ${short(hash)}`, timeoutMs: installMs, signal },
      async () => {
        markUsed(cache, hash);
        if (touch(cache, hash)) return;
        sweep(cache);
        await install(await this.#store.get(hash), { cache, hash, signal });
        const note = listInstalled(cache).find((each) => each.hash === hash);
        if (note) this.#installed(hash, note);
      },
    );
    return dir;
  }

  #letGo(hash: string, held: Held): void {
    if (this.#held.get(hash) !== held) return;
    this.#held.delete(hash);
    unmark(openCache(), hash);
  }
}
