import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PrometheusContentType, Registry } from "prom-client";
import { actors } from "#protos";
import type { Logger } from "../core/log.js";
import { type Directory, NodeState } from "../directory/directory.js";
import type { NodeMetrics } from "./metrics.js";

const requestMs = 5_000;
const writeTries = 3;

/**
 * Serves the figures of this node on a free port of loopback: in Prometheus' text form, or as JSON to who accepts that.
 * It keeps no process alive. @returns the URL of the figures
 */
export async function serveMetrics(metrics: NodeMetrics, log: Logger): Promise<string> {
  let scraping: Promise<Figures> | undefined;
  const scrape = () => {
    scraping ??= collect(metrics).finally(() => {
      scraping = undefined;
    });
    return scraping; // who asks meanwhile gets the same
  };
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    answer(request, response, scrape).catch((err: unknown) => {
      log.warn({ err }, "metrics could not be collected");
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

type Figures = Registry<PrometheusContentType>;

async function answer(request: IncomingMessage, response: ServerResponse, scrape: () => Promise<Figures>) {
  const path = request.url?.split("?")[0];
  if (path !== "/metrics") return void response.writeHead(404).end("the figures are at /metrics\n");
  if (request.method !== "GET" && request.method !== "HEAD")
    return void response.writeHead(405, { allow: "GET, HEAD" }).end();
  const registry = await scrape();
  const json = request.headers.accept?.includes("application/json") === true;
  const body = json ? JSON.stringify(await registry.getMetricsAsJSON()) : await registry.metrics();
  response.writeHead(200, { "content-type": json ? "application/json" : registry.contentType }).end(body);
}

let ofProcess: Promise<Figures> | undefined;

/** prom-client takes a tenth of a second to load, so nobody pays for it before the first scrape. */
async function collect(metrics: NodeMetrics): Promise<Figures> {
  const { default: prometheus } = await import("prom-client");
  ofProcess ??= (async () => {
    const registry = new prometheus.Registry();
    prometheus.collectDefaultMetrics({ register: registry });
    return registry;
  })();
  const ours = prometheus.AggregatorRegistry.aggregate<PrometheusContentType>([await metrics.collect()]);
  return prometheus.Registry.merge([ours, await ofProcess]);
}

/** Writes where the figures of a node are into its record, unless it counts as dead by now. */
export async function announceMetrics({ store }: Directory, node: string, url: string): Promise<void> {
  const key = `node.${node}`;
  for (let tries = 1; tries <= writeTries; tries++) {
    const entry = await store.get(key);
    const record = entry && actors.v1.NodeRecord.decode(entry.value);
    if (!record || record.state === NodeState.NODE_DEAD) return;
    const told = new actors.v1.NodeRecord({ ...record, metrics: url });
    if (await store.update(key, actors.v1.NodeRecord.encode(told).finish(), entry.revision)) return;
  }
}
