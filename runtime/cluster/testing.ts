import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { actors } from "#protos";
import { pause, withDeadline } from "../core/wait.js";
import { NatsStore } from "../directory/nats-store.js";
import type { ActorInfo, ActorSystem, SystemEvent } from "../system.js";
import { connectNats } from "../transport/nats.js";
import type { Offers } from "./offers.js";
import { sharedMemoryDir } from "./remains.js";
import { bucketOf } from "./roles.js";
import { type Cluster, type ClusterOptions, startCluster } from "./start.js";
import { type ClusterFile, type NodeFile, readClusterFile } from "./state.js";

const patienceMs = 20_000; // on a machine that does other things too

/** What must lie nowhere but where it belongs. */
export const secretsOf = ({ signer, seed, client, token }: NodeFile) => ({ signer, seed, client: client.seed, token });

/** A real cluster in a folder of its own, with memory of the events so far. */
export class TestCluster {
  readonly cluster: Cluster;
  readonly dir: string;
  readonly events: SystemEvent[] = [];

  private constructor(cluster: Cluster, dir: string) {
    this.cluster = cluster;
    this.dir = dir;
    cluster.onEvent((event) => this.events.push(event));
  }

  /** Stopped, and its folder removed, after the test. */
  static async start(
    t: Pick<TestContext, "after">,
    nodes = 2,
    offers: Offers = {},
    more: Pick<ClusterOptions, "autoscale" | "listen" | "servers" | "spares" | "tls"> = {},
  ): Promise<TestCluster> {
    const dir = mkdtempSync(join(tmpdir(), "cluster-test-"));
    const cluster = await startCluster({ nodes, offers, stateDir: dir, ...more });
    t.after(async () => {
      await cluster.stop("the test ended");
      rmSync(dir, { recursive: true, force: true });
    });
    return new TestCluster(cluster, dir);
  }

  get system() {
    return this.cluster.system;
  }

  get file(): ClusterFile {
    return readClusterFile(this.cluster.file);
  }

  /** The first event of that kind whose text fits, past or to come. */
  async heard(kind: string, text = /./): Promise<SystemEvent> {
    const find = () => this.events.find((e) => e.kind === kind && text.test(e.text));
    await until(`an event ${kind} ${text}`, () => find() !== undefined);
    return find()!;
  }

  /** The node that coordinates now. */
  async coordinator(): Promise<string> {
    const nc = await connectNats(this.file, "test");
    const entry = await (await NatsStore.open(nc, bucketOf(this.file.cluster))).get("lease.coordinator");
    await nc.close();
    return actors.v1.Lease.decode(entry!.value).node;
  }

  actor(id: string): ActorInfo {
    const info = this.system.ps().actors.find((a) => a.id === id);
    assert.ok(info, `no actor ${id}`);
    return info;
  }

  node(id: string) {
    const info = this.system.ps().nodes.find((n) => n.id === id);
    assert.ok(info, `no node ${id}`);
    return info;
  }

  /** Every process of the cluster that is known now. */
  pids(): number[] {
    const { nodes, actors } = this.system.ps();
    const all = [...this.file.natsPids, ...nodes.map((n) => n.pid), ...actors.map((a) => a.pid)];
    return [...new Set(all)].filter((pid) => pid > 0 && pid !== process.pid);
  }
}

/** The next event of that kind. */
export async function heard(system: ActorSystem, kind: string): Promise<SystemEvent> {
  let stop = () => {};
  const event = new Promise<SystemEvent>((resolve) => {
    stop = system.onEvent((e) => e.kind === kind && resolve(e));
  });
  return withDeadline(event, patienceMs, `an event ${kind}`).finally(stop);
}

/** Waits for something that another process does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await holds()); await pause(10)) {
    assert.ok(Date.now() < deadline, `${what}: not within ${patienceMs} ms`);
  }
}

/** Also true of a zombie, which has ended and only waits to be collected. */
export function hasEnded(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** Shared-memory files and scratch folders of any cluster that this process launched. */
export function remains(): string[] {
  const mine = (name: string) => name.startsWith(`actors-${process.pid}-`);
  return [sharedMemoryDir(), tmpdir()].flatMap((dir) => readdirSync(dir).filter(mine));
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
