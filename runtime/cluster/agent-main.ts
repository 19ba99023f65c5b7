// The program of a node agent: one process, one node.
import { join } from "node:path";
import { makeLogger } from "../core/log.js";
import { pause } from "../core/wait.js";
import { NodeState } from "../directory/directory.js";
import { dieWithParent } from "../hosting/parent.js";
import { startProcess } from "../hosting/process.js";
import { Agent, hostAgent } from "./agent.js";
import { connectRuntime } from "./connect.js";
import { stand } from "./leadership.js";
import { registerNode } from "./membership.js";
import { heartbeatMs } from "./protocol.js";
import { readClusterFile } from "./state.js";

/** What the launcher says and hears over the IPC channel. */
export type ToAgent = { join: true } | { stop: string };
export type FromAgent = { ready: string };

/** Exit code of a node that was declared dead while it lived; the launcher starts it anew. */
export const fencedExit = 75;

const metricsAfterMs = 1_000; // a start has better things to do with its processors

dieWithParent();
process.on("SIGINT", () => {}); // the launcher decides
const clusterFile = process.env["ACTORS_CLUSTER"]!;
const node = process.env["ACTORS_NODE"]!;
const slot = Number(process.env["ACTORS_SLOT"]);
await new Promise((resolve) => process.once("message", resolve)); // `join`: the cluster file is written
const file = readClusterFile(clusterFile);
const log = makeLogger(node, "info");
const runtime = await connectRuntime(file, { node, log, name: `node ${node}`, heartbeat: true });
const agent = new Agent(runtime, {
  thread: async (record, onExit) => (await import("../hosting/thread.js")).startThread(runtime, record, onExit),
  process: (record, onExit) => {
    const ledger = runtime.objects.ledgerPath;
    return startProcess(record, { clusterFile, logsDir: join(file.stateDir, "logs"), ledger }, onExit);
  },
});
hostAgent(runtime, agent);
await registerNode(runtime, { slot, share: file.nodes, offers: file.offers });
const election = stand(runtime, true);

let stopping = false;
process.on("message", (message: ToAgent) => "stop" in message && void stop(message.stop));
process.once("SIGTERM", () => void stop("SIGTERM"));
process.send?.({ ready: node } satisfies FromAgent);
log.info({ slot }, "node is up");
setTimeout(() => void offerMetrics(), metricsAfterMs).unref();

// Another node may run our actors once this one counts as dead: end ours at once.
runtime.directory.onNode((id) => {
  if (id !== node || stopping) return;
  const state = runtime.directory.nodes.get(id)?.record.state;
  if (state === NodeState.NODE_UP) return;
  log.error("this node was declared dead; it ends its actors and starts anew");
  agent.killAll();
  setTimeout(() => process.exit(fencedExit), heartbeatMs);
});

async function offerMetrics(): Promise<void> {
  if (stopping) return;
  try {
    const [{ NodeMetrics }, server] = await Promise.all([import("./metrics.js"), import("./metrics-server.js")]);
    const url = await server.serveMetrics(new NodeMetrics(runtime, agent.restarts), log);
    await server.announceMetrics(runtime.directory, node, url);
  } catch (err) {
    if (!stopping) log.warn({ err }, "this node serves no metrics");
  }
}

async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  await Promise.race([agent.stopAll(reason), pause(10_000)]);
  await Promise.race([election.stop(), pause(1_000)]);
  await Promise.race([runtime.close(reason), pause(1_000)]);
  process.exit(0);
}
