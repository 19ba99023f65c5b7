import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { actors } from "#protos";
import { MemoryBus } from "../transport/bus.js";
import { beat, Vigil } from "./heartbeats.js";
import { heartbeatMs, heartbeatTopic } from "./protocol.js";

/** A bus that comes back, on which each message is one that someone sent at a time of the test's clock. */
class TimedBus extends MemoryBus {
  now = 10_000;
  readonly #back = new Set<() => void>();
  override onReconnect(heard = () => {}): () => void {
    this.#back.add(heard);
    return () => this.#back.delete(heard);
  }
  comeBack(): void {
    for (const tell of this.#back) tell();
  }
  async hears(endpoint: string, sentAt = this.now): Promise<void> {
    this.publish(heartbeatTopic, actors.v1.Heartbeat.encode({ endpoint, sentAt }).finish());
    await Promise.resolve();
  }
}

function listening() {
  const bus = new TimedBus();
  return { bus, vigil: new Vigil(bus, "mine", () => bus.now) };
}

describe("a vigil", () => {
  it("counts a silence from the last heartbeat to the sending of its own newest that came back", async () => {
    const { bus, vigil } = listening();
    await bus.hears("mine");
    bus.now += 1_000;
    await bus.hears("other");
    bus.now += 3_000;
    await bus.hears("mine", bus.now - 500);
    assert.equal(vigil.silence("other"), 2_500);
  });

  it("declares nobody silent while its own heartbeats do not come back", async () => {
    const { bus, vigil } = listening();
    await bus.hears("mine");
    await bus.hears("other");
    bus.now += 60_000;
    assert.ok(vigil.silence("other") <= 0);
  });

  it("counts one it has never heard from when it surely heard all", async () => {
    const { bus, vigil } = listening();
    bus.now += 5_000;
    assert.ok(vigil.silence("other") <= 0);
    await bus.hears("mine", bus.now - 100);
    assert.ok(vigil.silence("other") <= 0);
    bus.now += 2_000;
    await bus.hears("mine");
    assert.equal(vigil.silence("other"), 2_000);
  });

  it("counts anew after its link was away, from its first heartbeat that came back over the new one", async () => {
    const { bus, vigil } = listening();
    await bus.hears("mine");
    await bus.hears("other");
    bus.now += 5_000;
    bus.comeBack();
    bus.now += 1_000; // the server takes so long to hear the subscription
    await bus.hears("mine");
    assert.ok(vigil.silence("other") <= 0);
    bus.now += 700;
    await bus.hears("mine");
    assert.equal(vigil.silence("other"), 700);
  });

  it("tells of its own heartbeats only, until it is told to stop", async () => {
    const { bus, vigil } = listening();
    const proofs: number[] = [];
    const stop = vigil.onProof((sentAt) => proofs.push(sentAt));
    await bus.hears("other");
    await bus.hears("mine", 123);
    stop();
    await bus.hears("mine", 456);
    assert.deepEqual(proofs, [123]);
  });
});

describe("beating", () => {
  it("starts at once, goes on with the clock's time, and again when the link is back", (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const bus = new TimedBus();
    const sent: number[] = [];
    bus.publish = (_topic, bytes) => void sent.push(actors.v1.Heartbeat.decode(bytes).sentAt);
    const stop = beat(bus, "mine", () => bus.now);
    bus.now += heartbeatMs;
    t.mock.timers.tick(heartbeatMs);
    bus.now += 1;
    bus.comeBack();
    stop();
    t.mock.timers.tick(heartbeatMs * 3);
    bus.comeBack();
    assert.deepEqual(sent, [10_000, 10_000 + heartbeatMs, 10_001 + heartbeatMs]);
  });
});
