import { ActorsError } from "../core/errors.js";
import { nearest } from "../core/nearest.js";
import { join } from "../join.js";
import type { NodeInfo } from "../system.js";
import { columns, plain } from "./text.js";
import { UsageError } from "./usage.js";

const answerMs = 5_000;

/** The nodes, with the URLs of their figures. @throws ActorsError UNAVAILABLE when there is no cluster */
export async function metricsNodes(): Promise<Pick<NodeInfo, "id" | "state" | "metrics">[]> {
  await using system = await join({ required: true });
  return system.ps().nodes.map(({ id, state, metrics }) => ({ id, state, metrics }));
}

export function renderMetricsNodes(nodes: readonly Pick<NodeInfo, "id" | "state" | "metrics">[]): string {
  const rows = nodes.map(({ id, state, metrics }) => [id, state, metrics || "-"]);
  const one = nodes.find(({ metrics }) => metrics);
  const hint = one ? `\nread one: actors metrics ${one.id}, or curl -s ${one.metrics}\n` : "";
  return `${columns([["NODE", "STATE", "METRICS"], ...rows])
    .map(plain)
    .join("\n")}\n${hint}`;
}

/**
 * The figures of a node as it serves them: Prometheus' text, or JSON.
 * @throws UsageError when there is no such node, ActorsError UNAVAILABLE when it does not serve them
 */
export async function nodeMetrics(wanted: string, json: boolean): Promise<string> {
  const nodes = await metricsNodes();
  const node = nodes.find(({ id }) => id === wanted);
  if (!node) {
    const ids = nodes.map(({ id }) => id);
    const guess = nearest(wanted, ids);
    throw new UsageError(`there is no node ${wanted}${guess ? `: did you mean ${guess}?` : ""}`, {
      hint: `Nodes: ${ids.join(", ")}.`,
    });
  }
  if (node.state === "dead") throw new ActorsError("UNAVAILABLE", `node ${wanted} is dead`);
  if (!node.metrics) {
    throw new ActorsError("UNAVAILABLE", `node ${wanted} serves no metrics yet`, {
      hint: "It begins a second after its start; `actors logs` says when it could not.",
    });
  }
  try {
    const answer = await fetch(node.metrics, {
      headers: { accept: json ? "application/json" : "text/plain" },
      signal: AbortSignal.timeout(answerMs),
    });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return await answer.text();
  } catch (cause) {
    throw new ActorsError("UNAVAILABLE", `node ${wanted} does not answer at ${node.metrics}: ${reason(cause)}`, {
      cause,
      hint: "Metrics are served on loopback: ask on the node's own machine.",
    });
  }
}

const reason = (caught: unknown) => {
  const { message, cause } = caught as Error;
  return cause instanceof Error ? cause.message : message;
};
