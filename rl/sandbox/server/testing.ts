import { SandboxPool } from "../pool.js";
import { chooseBackend } from "../probe.js";
import { defaultLimits } from "../session.js";
import { log } from "../testing.js";
import { SandboxServer, type ServerOptions } from "./server.js";

export const apiKey = "a-key-of-the-tests-0451";

export interface Served extends AsyncDisposable {
  url: string;
  pool: SandboxPool;
  server: SandboxServer;
}

/** A server of its own on a free port, with real sandboxes of the strongest backend. */
export async function serveForTest(options: Partial<ServerOptions> = {}, size = 3): Promise<Served> {
  const limits = { ...defaultLimits, memoryMb: 256 };
  const { backend, guarantees } = await chooseBackend({}, limits, log);
  const pool = new SandboxPool({ backend, limits, size, log });
  await pool.start();
  const server = new SandboxServer({
    ...{ pool, guarantees, backend: backend.name, hasImage: null, ignoreImage: true, apiKey, log },
    ...{ idleMs: 60_000, lifetimeMs: 600_000, ...options },
  });
  const url = await server.listen(0, "127.0.0.1");
  const close = async () => {
    await server.close();
    await pool.close();
  };
  return { url, pool, server, [Symbol.asyncDispose]: close };
}
