import assert from "node:assert/strict";
import test from "node:test";
import { dayOf, dayRange } from "../src/zone.js";

test("UTC", () => {
  assert.equal(dayOf("2024-05-06T23:59:59Z", "UTC"), "2024-05-06");
  assert.deepEqual(dayRange("2024-05-06", "UTC"), { from: "2024-05-06T00:00:00.000Z", to: "2024-05-07T00:00:00.000Z" });
});
