// The thread that beats for a node and keeps its lease, on a connection of its own: neither what holds the node's event
// loop nor what waits to be sent there delays a heartbeat.
import { parentPort, workerData } from "node:worker_threads";
import { machineMs } from "../../native/index.js";
import { goFirst } from "../hosting/priority.js";
import { connectNats } from "../transport/nats.js";
import { NatsBus } from "../transport/nats-bus.js";
import { emit } from "./events.js";
import { heldText, Lease } from "./fence.js";
import type { HeartData } from "./heart.js";
import { heartbeatMs, heldMs, heldWarnMs } from "./protocol.js";
import { Quorum } from "./quorum.js";

goFirst();
const { file, node, endpoint, leaseFile, turns } = workerData as HeartData;
const nc = await connectNats(file, `heart of node ${node}`);
const bus = new NatsBus(nc, file.cluster);
const lease = Lease.of(leaseFile);
const vigil = Quorum.open(file, `heart of node ${node}`, bus, endpoint, machineMs);
const stopTelling = vigil.onProof(() => {
  stopTelling();
  parentPort!.postMessage("it beats");
});
vigil.onProof((sentAt) => lease.renew(sentAt));

/** Counted in looks, so that a machine that runs neither thread blames nobody. */
const count = new Int32Array(turns);
let seen = -1;
let stillMs = 0;
setInterval(() => {
  const now = Atomics.load(count, 0);
  stillMs = now === seen ? stillMs + heartbeatMs : 0;
  seen = now;
  if (stillMs >= heldWarnMs && stillMs < heldWarnMs + heartbeatMs) void warn(stillMs);
  if (stillMs >= heldMs) lease.kill(stillMs);
}, heartbeatMs);

async function warn(ms: number): Promise<void> {
  const text = `node ${node} answers nobody: ${heldText(ms)}. After ${heldMs} ms the node is ended`;
  emit(bus, "node-held", node, text);
  const { makeLogger } = await import("../core/log.js"); // seldom needed
  makeLogger(node, "info").warn(text);
}
