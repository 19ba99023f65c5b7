// The program of a worker process: joins the cluster, hosts one actor when it is told which, ends with it or with its agent.
import { actors } from "#protos";
import { dieWithLease, redirectOutput } from "../../native/index.js";
import { connectRuntime } from "../cluster/connect.js";
import type { ClusterFile } from "../cluster/state.js";
import { toFailure } from "../core/errors.js";
import { makeLogger } from "../core/log.js";
import { instantiate } from "./instance.js";
import { dieWithParent } from "./parent.js";
import type { FromWorker, ToWorker } from "./workers.js";

dieWithParent();
dieWithLease(process.env["ACTORS_LEASE"]!); // what its agent may no longer run, this process may not
process.on("SIGINT", () => {}); // Ctrl-C reaches the whole group; the agent decides when to stop
const node = process.env["ACTORS_NODE"]!;
let isWanted = false;
let stop: ((reason: string) => Promise<void>) | undefined;
let join: (cluster: ClusterFile) => void;
const connected = new Promise<ClusterFile>((resolve) => {
  join = resolve;
}).then(connect);
connected.then(
  ({ endpoint }) => {
    stop ??= (reason) => endpoint.close(reason);
  },
  (err: unknown) => {
    if (isWanted) return; // told by `start`
    makeLogger(node).error({ err }, "a spare process could not connect");
    process.exit(1);
  },
);

process.on("message", (message: ToWorker) => {
  if ("join" in message) join(message.join);
  else if ("take" in message) take(message.take);
  else if ("start" in message) void start(message.start);
  else end(message.stop);
});
process.once("SIGTERM", () => end("SIGTERM"));

async function connect(cluster: ClusterFile) {
  const log = makeLogger(`worker of ${node}`, "info");
  const ledger = process.env["ACTORS_OBJECT_LEDGER"];
  return connectRuntime(cluster, { node, log, name: `worker ${process.pid} of ${node}`, heartbeat: false, ledger });
}

function take(log: string): void {
  redirectOutput(log);
  say({ taken: true });
}

async function start(encoded: Uint8Array): Promise<void> {
  isWanted = true;
  const record = actors.v1.ActorRecord.decode(encoded);
  const log = makeLogger(record.name || record.def, "info");
  try {
    const runtime = await connected;
    const instance = await instantiate({ ...runtime, log }, record);
    stop = async (reason) => {
      await instance.stop(reason).catch((err: unknown) => log.error({ err }, "onStop threw"));
      await runtime.endpoint.close(reason);
    };
    say({ started: runtime.endpoint.id });
  } catch (error) {
    log.error({ err: error }, "did not start");
    say({ failed: actors.v1.Failure.encode(toFailure(error)).finish() }, () => process.exit(1));
  }
}

function end(reason: string): void {
  void (stop?.(reason) ?? Promise.resolve()).finally(() => process.exit(0));
}

function say(message: FromWorker, then: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, {}, then);
  else process.exit(1);
}
