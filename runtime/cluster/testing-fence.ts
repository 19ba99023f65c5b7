// Partitions for the cluster's end-to-end tests, and the proof that no two incarnations of an actor lived at once.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { defineActor } from "../core/definition.js";
import type { ActorContext } from "../hosting/instance.js";
import type { ToAgent } from "./agent-main.js";
import { type TestCluster, until } from "./testing.js";

const tickMs = 2;

/** Writes that it lives, all the time, on the clock of the machine; and holds what only one process can hold. */
class Witness {
  readonly #file: string;
  #epoch = 0;
  #hold: Server | undefined;

  constructor(file: string) {
    this.#file = file;
  }
  async onStart({ epoch, signal }: ActorContext) {
    this.#epoch = epoch;
    this.#hold = createServer().listen(`\0${this.#file}`); // within one network; freed when the process has ended
    await once(this.#hold, "listening");
    this.#lives();
    const timer = setInterval(() => this.#lives(), tickMs);
    signal.addEventListener("abort", () => clearInterval(timer));
  }
  onStop() {
    this.#hold?.close();
  }
  epoch() {
    this.#lives();
    return this.#epoch;
  }
  /** Holds the event loop. */
  block(ms: number) {
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    for (const end = performance.now() + ms; performance.now() < end; Atomics.wait(nobody, 0, 0, tickMs)) this.#lives();
  }
  #lives() {
    appendFileSync(this.#file, `${this.#epoch} ${process.hrtime.bigint()}\n`);
  }
}

export const witness = defineActor({
  name: "test.witness",
  module: import.meta.url,
  class: Witness,
  idempotent: ["epoch"],
});

/** Where witnesses write; removed after the test. */
export function lifeFile(t: Pick<TestContext, "after">): string {
  const dir = mkdtempSync(join(tmpdir(), "witness-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "life");
}

/** That the lives in a witness's file never overlap, and how many there were. */
export function assertOneAtATime(file: string, lives: number): void {
  const spans = new Map<number, { first: bigint; last: bigint }>();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const [epoch, at] = line.split(" ");
    const ns = BigInt(at!);
    const span = spans.get(Number(epoch)) ?? { first: ns, last: ns };
    if (ns > span.last) span.last = ns;
    spans.set(Number(epoch), span);
  }
  const inOrder = [...spans].sort(([a], [b]) => a - b);
  assert.equal(inOrder.length, lives);
  for (const [i, [epoch, { first }]] of inOrder.entries()) {
    const before = inOrder[i - 1];
    if (before) assert.ok(before[1].last < first, `incarnations ${before[0]} and ${epoch} lived at once`);
  }
}

/** A way to nats-server that can fall silent: nothing is refused or closed, it only does not arrive. */
export class LossyLink {
  readonly port: number;
  #silent: "both" | "answers" | "requests" | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async open(t: Pick<TestContext, "after">, to: number, host = "127.0.0.1"): Promise<LossyLink> {
    const pairs = new Set<[Socket, Socket]>();
    const proxy = createServer((client) => {
      const server = connect(to, "127.0.0.1");
      pairs.add([client, server]);
      client.on("data", (bytes) => link.#passes("requests") && server.write(bytes));
      server.on("data", (bytes) => link.#passes("answers") && client.write(bytes));
      for (const socket of [client, server]) socket.on("error", () => {});
    }).listen(0, host);
    await once(proxy, "listening");
    const link = new LossyLink((proxy.address() as { port: number }).port);
    t.after(() => {
      proxy.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    });
    return link;
  }

  stall(way: "both" | "answers" | "requests"): void {
    this.#silent = way;
  }

  #passes(way: "answers" | "requests"): boolean {
    return this.#silent !== "both" && this.#silent !== way;
  }
}

/** A node whose end no launcher reports, and that reaches nats-server by another address. */
export interface Lone {
  /** Found once its process runs. */
  address(pid: number): Promise<{ port: number; host?: string }> | { port: number; host?: string };
  id?: string;
  /** A command that runs it elsewhere; it calls by NATS alone then, as from another machine. */
  within?: readonly string[];
}

export async function loneNode(t: Pick<TestContext, "after">, c: TestCluster, lone: Lone) {
  const { id = "n9", within = [] } = lone;
  const main = fileURLToPath(new URL("./agent-main.js", import.meta.url));
  const [program, ...args] = [...within, process.execPath, main];
  const child = spawn(program!, args, {
    env: {
      ...process.env,
      ACTORS_CLUSTER: c.cluster.file,
      ACTORS_NODE: id,
      ACTORS_SLOT: id.slice(1),
      ...(within.length > 0 && { ACTORS_DIRECT: "0" }),
    },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  t.after(() => child.kill("SIGKILL"));
  const { port, host = "127.0.0.1" } = await lone.address(child.pid!);
  child.send({ join: { ...c.cluster.credential, url: `nats://${host}:${port}` } } satisfies ToAgent);
  await until("the node is in the directory", () => c.system.ps().nodes.some((n) => n.id === id));
  return { id, pid: child.pid!, exited: once(child, "exit") };
}
