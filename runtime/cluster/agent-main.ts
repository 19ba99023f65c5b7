// The program of a node agent: one process, one node.
import { join } from "node:path";
import { machineMs } from "../../native/index.js";
import { short } from "../bundles/names.js";
import { NodeBundles } from "../bundles/node.js";
import { BundleStore } from "../bundles/store.js";
import { makeLogger } from "../core/log.js";
import { pause, withDeadline } from "../core/wait.js";
import { NodeState } from "../directory/directory.js";
import { dieWithParent } from "../hosting/parent.js";
import { startProcess } from "../hosting/process.js";
import { Workers } from "../hosting/workers.js";
import { Agent, hostAgent, type Starters } from "./agent.js";
import { fencedExit } from "./agent-process.js";
import { connectRuntime } from "./connect.js";
import { emit } from "./events.js";
import { Lease, leaseFile } from "./fence.js";
import { Heart } from "./heart.js";
import { stand } from "./leadership.js";
import { registerNode } from "./membership.js";
import { fenceMs } from "./protocol.js";
import { Quorum } from "./quorum.js";
import { forWorker, type NodeFile } from "./state.js";
import { tidy } from "./tidy.js";

/** What the launcher says and hears over the IPC channel. */
export type ToAgent = { join: NodeFile } | { stop: string };
export type FromAgent = { ready: string };

const laterMs = 1_000; // a start has better things to do with its processors
const tidyMs = 5_000; // what a start puts off has been loaded too
const firstMs = 20_000;

dieWithParent();
process.on("SIGINT", () => {}); // the launcher decides
const clusterFile = process.env["ACTORS_CLUSTER"]!;
const node = process.env["ACTORS_NODE"]!;
const slot = Number(process.env["ACTORS_SLOT"]);
const { join: file } = await new Promise<{ join: NodeFile }>((resolve) => process.once("message", resolve));
const log = makeLogger(node, "info");
const runtime = await connectRuntime(file, { node, log, name: `node ${node}`, heartbeat: false });
const logsDir = join(file.stateDir, "logs");
const endpoint = runtime.endpoint.id;
const ownLease = leaseFile(file.shmPrefix, node);
const heart = new Heart({ file, node, endpoint, leaseFile: ownLease }, (err) =>
  leave(`its heartbeat thread failed: ${err.message}`),
);
const bundles = new NodeBundles(new BundleStore(runtime.nc!, file.cluster), (hash, { job, tookMs }) => {
  const text = `node ${node} installed bundle ${short(hash)} of job ${job} in ${tookMs} ms`;
  log.info(text);
  emit(runtime.bus, "bundle", hash, text);
});
const workers = new Workers(
  { clusterFile, logsDir, leaseFile: ownLease, node, ledger: runtime.objects.ledgerPath },
  () => forWorker(file),
  file.spares,
);
const starters: Starters = {
  inline: (record) => heart.up().then(() => agent.startHere(record)),
  thread: async (record, onExit) => (await import("../hosting/thread.js")).startThread(runtime, record, onExit),
  process: (record, onExit) => startProcess(record, workers, onExit),
};
const agent: Agent = new Agent(runtime, starters, bundles);
hostAgent(runtime, agent);
const vigil = Quorum.open(file, `beats of node ${node}`, runtime.bus, endpoint, machineMs);
const first = new Promise<number>((resolve) => vigil.onProof(resolve));
const lease = Lease.begin(ownLease, await withDeadline(first, firstMs, `the first heartbeat of node ${node}`));
lease.onOver(() => leave(`none of its heartbeats came back for ${fenceMs} ms`));
vigil.onProof((sentAt) => lease.renew(sentAt));
await registerNode(runtime, { slot, share: file.nodes, offers: file.offers });
const election = stand(runtime, vigil, file.autoscale);

let stopping = false;
process.on("message", (message: ToAgent) => "stop" in message && void stop(message.stop));
process.once("SIGTERM", () => void stop("SIGTERM"));
process.send?.({ ready: node } satisfies FromAgent);
log.info({ slot }, "node is up");
setTimeout(() => void offerMetrics(), laterMs).unref();
setTimeout(() => void heart.up().then(vigil.stopBeating, leave), laterMs).unref();
setTimeout(tidy, tidyMs).unref();

// Another node may run our actors once this one counts as dead: end ours at once.
runtime.directory.onNode((id) => {
  if (id !== node || stopping) return;
  const state = runtime.directory.nodes.get(id)?.record.state;
  if (state === NodeState.NODE_UP) return;
  leave("it was declared dead");
});

/** No handler may run any more: threads end with this process, and so do its workers, by the kernel. */
function leave(why: string): never {
  log.error(`${why}: this node ends its actors, which others may run now, and starts anew`);
  process.exit(fencedExit);
}

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
  await Promise.race([Promise.all([agent.stopAll(reason), workers.close()]), pause(10_000)]);
  await Promise.race([election.stop(), pause(1_000)]);
  await Promise.race([runtime.close(reason), pause(1_000)]);
  process.exit(0);
}
