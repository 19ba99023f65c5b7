import assert from "node:assert/strict";
import { test } from "node:test";
import { readObjectLimits } from "./sizes.js";
import { UsageError } from "./usage.js";

test("what objects may take is read in bytes and in units", () => {
  assert.deepEqual(readObjectLimits({ objects: { memory: "1.5GiB", disk: 2e9 } }), {
    memory: 1.5 * 2 ** 30,
    disk: 2e9,
  });
  assert.deepEqual(readObjectLimits({ objects: { disk: "20 GB" } }), { disk: 20e9 });
  assert.deepEqual(readObjectLimits({}), {});
});

for (const [objects, message] of [
  [3, "objects must be a section, such as objects: { memory: 8GiB }"],
  [{ memory: "much" }, 'objects.memory must be a size such as 512MiB or 8GiB, not "much"'],
  [{ memory: -1 }, "objects.memory must be a size such as 512MiB or 8GiB, not -1"],
  [{ disks: 1 }, "unknown key objects.disks: did you mean disk?"],
] as const) {
  test(`refuses ${JSON.stringify(objects)}`, () => {
    assert.throws(
      () => readObjectLimits({ objects }),
      (error) => error instanceof UsageError && error.rawMessage === message,
    );
  });
}
