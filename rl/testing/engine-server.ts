import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { actors } from "#protos";
import { Learner } from "../../native/index.js";
import type { ActorContext } from "../../runtime/index.js";
import { PolicyActor } from "../policy/actor.js";

export interface EngineServer extends AsyncDisposable {
  url: string;
  /** Routes that were called, and how often. */
  calls: Map<string, number>;
  /** From now on calls wait. */
  hold(): Promise<void>;
  /** As if it had been ended and started anew: calls under way are cut off, and the weights are those it began with. */
  restart(): Promise<void>;
  /** Loads fail from now on. */
  breakLoads(): void;
  /** Loads from now on say that they succeeded, and change nothing. */
  ignoreLoads(): void;
}

type Answer = { status?: number; body: unknown };
type Handler = (body: never, query: URLSearchParams) => Promise<Answer> | Answer;

/** Our own engine behind the routes of vLLM or SGLang, for as much of them as the adapters use. */
export async function startEngineServer(
  kind: "vllm" | "sglang",
  model: string,
  scratch: string,
): Promise<EngineServer> {
  const engine = new NativeServer(scratch);
  await engine.load(model, "default");
  const calls = new Map<string, number>();
  const routes = (kind === "vllm" ? vllmRoutes : sglangRoutes)(engine);
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://engine");
    const route = `${request.method} ${pathname}`;
    calls.set(route, (calls.get(route) ?? 0) + 1);
    const handle = routes[route] as ((body: unknown, query: URLSearchParams) => Promise<Answer> | Answer) | undefined;
    const { status = 200, body } = await Promise.resolve(handle?.(await bodyOf(request), searchParams)).then(
      (answer) => answer ?? { status: 404, body: { detail: "Not Found" } },
      (error: Error) => ({ status: 500, body: { message: error.message } }),
    );
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    hold: () => engine.pause(),
    async restart() {
      server.closeAllConnections();
      await engine.load(model, "default");
      engine.resume();
    },
    breakLoads: () => {
      engine.loads = "fail";
    },
    ignoreLoads: () => {
      engine.loads = "ignore";
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await engine.close();
    },
  };
}

class NativeServer {
  loads: "work" | "fail" | "ignore" = "work";
  weightVersion = "default";
  maxSeqLen = 0;
  readonly #scratch: string;
  #policy: PolicyActor | undefined;
  #version = 0;
  #asking: AbortSignal | undefined;
  readonly #running = new Map<string, AbortController>();

  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  async load(folder: string, weightVersion: string): Promise<void> {
    if (this.loads === "fail") throw new Error("out of memory");
    if (this.loads === "ignore") return;
    const learner = await Learner.load(folder);
    const path = join(this.#scratch, `served-${++this.#version}`);
    const published = await learner.publish(path);
    if (!this.#policy) {
      this.maxSeqLen = learner.config.maxSeqLen;
      const options = { model: learner.config, maxSequences: 32, threads: 1, prefix: join(this.#scratch, "none-") };
      this.#policy = new PolicyActor(options);
      const asking = () => this.#asking;
      await this.#policy.onStart({
        get call() {
          return { signal: asking() };
        },
      } as unknown as ActorContext);
    }
    learner.close();
    await this.#policy.load({ version: this.#version, path, ...published });
    await rm(path);
    this.weightVersion = weightVersion;
  }

  async generate(id: string, request: actors.v1.GenerateRequest.$Properties) {
    const asked = new AbortController();
    this.#running.set(id, asked);
    this.#asking = asked.signal; // read when the call begins
    const version = this.weightVersion;
    try {
      const reply = await this.#policy!.generate(request);
      const tokens = [...new Int32Array(new Uint8Array(reply.tokens!).buffer)];
      const logprobs = [...new Float32Array(new Uint8Array(reply.logprobs!).buffer)];
      return { tokens, logprobs, finish: reply.finish!, version };
    } finally {
      this.#running.delete(id);
    }
  }

  abort(id: string): void {
    this.#running.get(id)?.abort();
  }

  pause(): Promise<void> {
    return this.#policy!.pause({ mode: "abort" });
  }

  resume(): void {
    this.#policy!.resume();
  }

  async close(): Promise<void> {
    await this.#policy?.onStop();
  }
}

interface Sampling {
  max_tokens?: number;
  max_new_tokens?: number;
  temperature: number;
  top_p: number;
  top_k: number;
  seed?: number;
  sampling_seed?: number;
  stop_token_ids: number[];
}

const requestOf = (tokens: number[], s: Sampling): actors.v1.GenerateRequest.$Properties => ({
  tokens: new Uint8Array(Int32Array.from(tokens).buffer),
  maxTokens: s.max_tokens ?? s.max_new_tokens ?? 16,
  ...{ temperature: s.temperature, topP: s.top_p, topK: Math.max(0, s.top_k), seed: s.seed ?? s.sampling_seed ?? 0 },
  stop: s.stop_token_ids,
});

const ok = (body: unknown = {}): Answer => ({ body });

function vllmRoutes(engine: NativeServer): Record<string, Handler> {
  return {
    "GET /health": () => ok(),
    "GET /is_paused": () => ok({ is_paused: false }),
    "GET /v1/models": () => ok({ data: [{ id: "model", max_model_len: engine.maxSeqLen }] }),
    "POST /inference/v1/generate": async (body: {
      request_id: string;
      token_ids: number[];
      sampling_params: Sampling;
    }) => {
      const drawn = await engine.generate(body.request_id, requestOf(body.token_ids, body.sampling_params));
      const content = drawn.logprobs.map((logprob, i) => ({ token: `token_id:${drawn.tokens[i]}`, logprob }));
      const choice = { index: 0, token_ids: drawn.tokens, finish_reason: drawn.finish, logprobs: { content } };
      return ok({ request_id: body.request_id, choices: [choice] });
    },
    "POST /abort_requests": ({ request_ids }: { request_ids: string[] }) => {
      for (const id of request_ids) engine.abort(id);
      return ok({ status: "aborted", aborted: request_ids.length });
    },
    "POST /pause": async () => {
      await engine.pause();
      return ok({ status: "paused" });
    },
    "POST /resume": () => {
      engine.resume();
      return ok({ status: "resumed" });
    },
    "POST /collective_rpc": async ({ kwargs }: { kwargs: { weights_path: string } }) => {
      await engine.load(kwargs.weights_path, "");
      return ok({ results: [null] });
    },
  };
}

function sglangRoutes(engine: NativeServer): Record<string, Handler> {
  return {
    "GET /health_generate": () => ok(),
    "GET /model_info": () => ok({ model_path: "model" }),
    "POST /generate": async (body: { rid: string; input_ids: number[]; sampling_params: Sampling }) => {
      const drawn = await engine.generate(body.rid, requestOf(body.input_ids, body.sampling_params));
      return ok({
        text: "",
        output_ids: drawn.tokens,
        meta_info: {
          ...{ id: body.rid, finish_reason: { type: drawn.finish }, weight_version: drawn.version },
          output_token_logprobs: drawn.tokens.map((id, i) => [drawn.logprobs[i], id, null]),
        },
      });
    },
    "POST /abort_request": ({ rid }: { rid: string }) => {
      engine.abort(rid);
      return ok();
    },
    "POST /pause_generation": async () => {
      await engine.pause();
      return ok();
    },
    "POST /continue_generation": () => {
      engine.resume();
      return ok();
    },
    "POST /update_weights_from_disk": async (body: { model_path: string; weight_version: string }) => {
      await engine.load(body.model_path, body.weight_version);
      return ok({ success: true, message: "", num_paused_requests: 0 });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<never> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return (text === "" ? null : JSON.parse(text)) as never;
}
