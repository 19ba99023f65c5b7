import { join } from "node:path";
import type { Logger } from "../core/log.js";
import { pause } from "../core/wait.js";
import { type NatsServer, type NatsServerOptions, startNatsServer } from "./nats-server.js";
import { makeRoutes } from "./routes.js";

const firstWaitMs = 100;
const longestWaitMs = 5_000;

export interface NatsServersOptions extends NatsServerOptions {
  cluster: string;
  count: number;
  log: Logger;
  /** Told each time one of them runs again. */
  onRestart(text: string): void;
}

/** The nats-servers of a cluster; each is started again when it dies. */
export class NatsServers {
  readonly #servers: readonly NatsServer[];
  readonly #options: NatsServersOptions;
  #stopped = false;

  /** @param options.port of the first; the others have the ports that follow @throws ActorsError as `startNatsServer` */
  static async start(options: NatsServersOptions): Promise<NatsServers> {
    const { cluster, count, port, dir, listen } = options;
    const routes = count > 1 ? await makeRoutes(cluster, count, listen) : [];
    const starts = Array.from({ length: count }, (_, i) =>
      startNatsServer({
        ...options,
        dir: i === 0 ? dir : join(dir, `server-${i + 1}`),
        ...(port !== undefined && { port: port + i }),
        routes: routes[i],
      }),
    );
    const settled = await Promise.allSettled(starts);
    const servers = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = settled.find((each) => each.status === "rejected");
    if (!failed) return new NatsServers(servers, options);
    await Promise.all(servers.map((server) => server.stop()));
    throw failed.reason;
  }

  private constructor(servers: readonly NatsServer[], options: NatsServersOptions) {
    this.#servers = servers;
    this.#options = options;
    for (const server of servers) server.onExit((how) => void this.#died(server, how));
  }

  /** Of all, separated by commas, as NATS writes them. */
  get url(): string {
    return this.#servers.map(({ url }) => url).join(",");
  }

  get pids(): number[] {
    return this.#servers.map(({ pid }) => pid);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#servers.map((server) => server.stop().catch(() => {})));
  }

  async #died(server: NatsServer, how: string): Promise<void> {
    const started = performance.now();
    for (let waitMs = firstWaitMs; !this.#stopped; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        await server.restart();
        const ms = Math.round(performance.now() - started);
        const which = this.#servers.length > 1 ? ` ${this.#servers.indexOf(server) + 1}` : "";
        return this.#options.onRestart(
          `nats-server${which} ended ${how}; started again on the same port and store after ${ms} ms`,
        );
      } catch (err) {
        if (!this.#stopped) this.#options.log.error({ err }, "nats-server could not be started again; trying again");
      }
      await pause(waitMs);
    }
  }
}
