import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { emit } from "../cluster/events.js";
import type { Bus } from "../transport/bus.js";
import type { NatsConnection } from "../transport/nats.js";
import { folderUrl, nameIn, short } from "./names.js";
import { type Packed, pack } from "./pack.js";
import { BundleStore } from "./store.js";

const large = 4 << 20; // bytes that take long enough to say so beforehand
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Ships packages of this program to the cluster: each as it is at its first spawn, so that all its actors run one version. */
export class Shipper {
  readonly #store: BundleStore;
  readonly #bus: Bus;
  readonly #packed = new Map<string, Promise<Packed>[]>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(nc: NatsConnection, cluster: string, bus: Bus) {
    this.#store = new BundleStore(nc, cluster);
    this.#bus = bus;
  }

  /**
   * @param module URL of a module in the package
   * @param root folder of the package
   * @returns the module's name for any node
   * @throws ActorsError INVALID_ARGUMENT (cannot be a bundle), DEADLINE_EXCEEDED
   */
  async ship(module: string, root: string): Promise<string> {
    const packed = await this.#pack(fileURLToPath(module), root);
    let sending = this.#sending.get(packed.hash);
    if (!sending) {
      sending = this.#send(packed).finally(() => this.#sending.delete(packed.hash));
      this.#sending.set(packed.hash, sending);
    }
    await sending;
    return nameIn(packed.hash, folderUrl(root), module);
  }

  /** A second time only for a module that the first bundle left out. */
  async #pack(file: string, root: string): Promise<Packed> {
    const path = relative(root, file).split(sep).join("/");
    const before = this.#packed.get(root) ?? [];
    for (const packing of before) {
      const packed = await packing;
      if (packed.files.has(path) || path.startsWith("node_modules/")) return packed;
    }
    const packing = pack(root, file);
    this.#packed.set(root, [...before, packing]);
    packing.catch(() => this.#packed.delete(root)); // the next one looks again
    return packing;
  }

  /** Asked of the store each time, for `actors env rm` may have removed it. */
  async #send(packed: Packed): Promise<void> {
    const { hash, job, files, bytes } = packed;
    if (await this.#store.has(hash)) return;
    const what = `job ${job} (${files.size} files, ${mb(bytes.length)})`;
    if (bytes.length > large) emit(this.#bus, "bundle", hash, `shipping ${what}`);
    const started = performance.now();
    const sent = await this.#store.put(packed);
    const ms = Math.round(performance.now() - started);
    emit(this.#bus, "bundle", hash, `${what} was shipped as bundle ${short(hash)}: ${mb(sent)} in ${ms} ms`);
  }
}
