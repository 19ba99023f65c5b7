import { ActorsError } from "../../../runtime/index.js";
import type { Config } from "../../config/schema.js";
import type { Dialect } from "./dialect.js";
import { JsonServer } from "./http.js";
import { sglang } from "./sglang.js";
import { vllm } from "./vllm.js";

/** Servers that are not ours, by `generator.backend`. */
export const dialects = { vllm, sglang } satisfies Record<string, Dialect>;
export type RemoteBackend = keyof typeof dialects;

export const isRemote = (backend: Config["generator"]["backend"]): backend is RemoteBackend => backend in dialects;

const probeMs = 5_000;
const key = "generator.remote_inference_engine_urls";

/** Asks each server whether it is there. @throws ActorsError INVALID_ARGUMENT naming the first that cannot serve, and what to do */
export async function checkServers({ generator }: Config): Promise<void> {
  const { backend, remote_inference_engine_urls: urls } = generator;
  if (!isRemote(backend)) return;
  const { name, hint, probe } = dialects[backend];
  for (const url of urls) {
    await probe(new JsonServer(url), { timeoutMs: probeMs }).catch((cause: unknown) => {
      const why = ActorsError.from(cause).rawMessage;
      throw new ActorsError("INVALID_ARGUMENT", `${key}: no ${name} serves at ${url}: ${why}`, { cause, hint });
    });
  }
}
