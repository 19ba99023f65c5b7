import { once } from "node:events";
import { stat } from "node:fs/promises";
import { Interrupts } from "../../../runtime/cli/interrupts.js";
import { makeLogger } from "../../../runtime/index.js";
import { ContainerBackend } from "../container.js";
import type { BackendName, PullPolicy } from "../names.js";
import { SandboxPool } from "../pool.js";
import { chooseBackend } from "../probe.js";
import { readKey } from "../remote.js";
import { defaultLimits } from "../session.js";
import { SandboxServer } from "./server.js";

export interface ServeOptions {
  apiKeyFile: string;
  host: string;
  port: number;
  size: number;
  backend: BackendName | "auto";
  image?: string;
  pull: PullPolicy;
  ignoreImage?: boolean;
  memoryMb?: number;
  diskMb?: number;
  processes?: number;
  cpus?: number;
  /** Seconds. */
  idle: number;
  lifetime: number;
  json?: boolean;
}

const readableByOthers = 0o077;

/** Until a signal. @returns the exit code: 0 when it ended as asked */
export async function serve(options: ServeOptions): Promise<number> {
  const log = makeLogger("sandbox", "info");
  const apiKey = await readKey(options.apiKeyFile);
  const { mode } = await stat(options.apiKeyFile);
  if ((mode & readableByOthers) !== 0) log.warn(`${options.apiKeyFile} can be read by other users: chmod 600 it`);
  const interrupts = new Interrupts((code) => process.exit(code));
  try {
    const { memoryMb, diskMb, processes, cpus } = options;
    const limits = {
      memoryMb: memoryMb ?? defaultLimits.memoryMb,
      diskMb: diskMb ?? defaultLimits.diskMb,
      processes: processes ?? defaultLimits.processes,
      cpus: cpus ?? defaultLimits.cpus,
    };
    const image = options.image === undefined ? null : { name: options.image };
    const { backend, guarantees } = await chooseBackend(
      { backend: options.backend, image, pull: options.pull },
      limits,
      log,
    );
    const pool = new SandboxPool({ backend, limits, size: options.size, image, log });
    const server = new SandboxServer({
      ...{ pool, guarantees, backend: backend.name, apiKey, ignoreImage: options.ignoreImage === true, log },
      hasImage: backend instanceof ContainerBackend ? (name) => backend.engine.has(name) : null,
      ...{ idleMs: options.idle * 1_000, lifetimeMs: options.lifetime * 1_000 },
    });
    try {
      const interrupted = once(interrupts.signal, "abort");
      await Promise.race([pool.start(), interrupted]);
      if (interrupts.signal.aborted) return 0;
      const url = await server.listen(options.port, options.host);
      const said = { event: "serving", url, backend: backend.name, size: options.size };
      process.stdout.write(
        options.json ? `${JSON.stringify(said)}\n` : `serving ${options.size} sandboxes (${backend.name}) at ${url}\n`,
      );
      await interrupted;
    } finally {
      await server.close();
      await pool.close();
    }
    return 0;
  } finally {
    interrupts.close();
  }
}
