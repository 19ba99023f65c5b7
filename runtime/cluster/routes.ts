// How several nats-servers are one: each has a route to each other, and JetStream keeps a copy of everything on three.
import { randomBytes } from "node:crypto";
import { freePort } from "./ports.js";
import { type TlsFiles, tlsText } from "./tls.js";

/** Counts of servers of which a majority is left when one is lost; one alone has none to lose. */
export const serverCounts = [1, 3, 5] as const;

/** Copies that JetStream keeps of each stream and bucket. */
export const replicasOf = (servers: number) => Math.min(3, servers);

/** What one of several servers needs to find the others. */
export interface Routes {
  cluster: string;
  /** From 1. */
  index: number;
  host: string;
  /** Where each of them listens for the others, this one included. */
  ports: readonly number[];
  /** Asked of whoever opens a route: server 2.9 knows no keys there. */
  password: string;
}

/** One for each server. */
export async function makeRoutes(cluster: string, servers: number, host = "127.0.0.1"): Promise<Routes[]> {
  const ports = await Promise.all(Array.from({ length: servers }, () => freePort(host)));
  const password = randomBytes(24).toString("hex");
  return ports.map((_, i) => ({ cluster, index: i + 1, host, ports, password }));
}

/** Their part of a server's configuration. */
export function routesText({ cluster, index, host, ports, password }: Routes, tls?: TlsFiles): string {
  const others = ports.filter((_, i) => i !== index - 1);
  return [
    `server_name: ${cluster}-${index}`,
    "cluster {",
    `  name: ${cluster}`,
    `  listen: "${host}:${ports[index - 1]}"`,
    `  authorization { user: route, password: "${password}", timeout: 2 }`,
    `  routes: ${JSON.stringify(others.map((port) => `nats://route:${password}@${host}:${port}`))}`,
    "  no_advertise: true",
    ...(tls ? [tlsText(tls, true)] : []),
    "}",
  ].join("\n");
}
