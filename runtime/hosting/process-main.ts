// The program of a worker process: hosts one actor, ends with it or with its agent.
import { actors } from "#protos";
import { dieWithLease } from "../../native/index.js";
import { connectRuntime } from "../cluster/connect.js";
import { readClusterFile } from "../cluster/state.js";
import { toFailure } from "../core/errors.js";
import { makeLogger } from "../core/log.js";
import { type Instance, instantiate } from "./instance.js";
import { dieWithParent } from "./parent.js";
import type { FromWorker, ToWorker } from "./process.js";

dieWithParent();
dieWithLease(process.env["ACTORS_LEASE"]!); // what its agent may no longer run, this process may not
process.on("SIGINT", () => {}); // Ctrl-C reaches the whole group; the agent decides when to stop
let stop: ((reason: string) => Promise<void>) | undefined;

process.on("message", (message: ToWorker) => {
  if ("start" in message) void start(message.start, message.node);
  else void (stop?.(message.stop) ?? Promise.resolve()).finally(() => process.exit(0));
});
process.once("SIGTERM", () => void (stop?.("SIGTERM") ?? Promise.resolve()).finally(() => process.exit(0)));

async function start(encoded: Uint8Array, node: string): Promise<void> {
  const record = actors.v1.ActorRecord.decode(encoded);
  const log = makeLogger(record.name || record.def, "info");
  try {
    const info = readClusterFile(process.env["ACTORS_WORKER"]!);
    const ledger = process.env["ACTORS_OBJECT_LEDGER"];
    const name = `${record.def} ${record.id}`;
    const runtime = await connectRuntime(info, { node, log, name, heartbeat: false, ledger });
    const instance: Instance = await instantiate(runtime, record);
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

function say(message: FromWorker, then: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, {}, then);
  else process.exit(1);
}
