import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Deadlines } from "./deadlines.js";

describe("deadlines", () => {
  it("expire in order, none early, and removed ones never", async () => {
    const now = performance.now();
    const expired: { deadline: number; at: number }[] = [];
    const items = [90, 5, 45, 60].map((ms) => ({ deadline: now + ms, over: false }));
    await new Promise<void>((resolve) => {
      const deadlines = new Deadlines<(typeof items)[number]>((item) => {
        expired.push({ deadline: item.deadline, at: performance.now() });
        if (expired.length === 3) resolve();
      });
      for (const item of items) deadlines.add(item);
      items[3]!.over = true;
      deadlines.remove(items[3]!);
    });
    assert.deepEqual(
      expired.map((e) => Math.round(e.deadline - now)),
      [5, 45, 90],
    );
    for (const e of expired) assert.ok(e.at >= e.deadline, `expired ${e.deadline - e.at} ms early`);
  });
});
