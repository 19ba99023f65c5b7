import assert from "node:assert/strict";
import { test } from "node:test";
import { readOffers } from "./offers.js";
import { UsageError } from "./usage.js";

test("what nodes have is read for all of them, and for single slots", () => {
  const cluster = {
    nodes: 2,
    resources: { licence: 1.5 },
    labels: { zone: "a", rack: 7 },
    slots: { n2: { labels: { disk: "ssd" }, resources: { licence: 3 }, devices: [0, "GPU-8f1e"] }, n1: null },
  };
  assert.deepEqual(readOffers({ cluster }), {
    resources: { licence: 1.5 },
    labels: { zone: "a", rack: "7" },
    slots: {
      n1: { labels: {}, resources: {} },
      n2: { labels: { disk: "ssd" }, resources: { licence: 3 }, devices: ["0", "GPU-8f1e"] },
    },
  });
  assert.deepEqual(readOffers({}), { resources: {}, labels: {}, slots: {} });
});

for (const [cluster, message] of [
  [{ resources: 3 }, "cluster.resources must be a section, not 3"],
  [{ resources: { tape: "two" } }, 'cluster.resources.tape must be an amount, not "two"'],
  [{ resources: { tape: -1 } }, "cluster.resources.tape must be an amount, not -1"],
  [{ labels: { zone: ["a"] } }, 'cluster.labels.zone must be a text, not ["a"]'],
  [{ slots: { first: {} } }, "cluster.slots.first: slots are named n1, n2, …"],
  [{ slots: { n1: { label: {} } } }, "unknown key cluster.slots.n1.label: did you mean labels?"],
  [{ slots: { n1: { devices: "0" } } }, "cluster.slots.n1.devices must be a list of GPU ids, such as [0, 1]"],
] as const) {
  test(`refused: ${message}`, () => {
    assert.throws(
      () => readOffers({ cluster }),
      (error) => error instanceof UsageError && error.rawMessage === message,
    );
  });
}
