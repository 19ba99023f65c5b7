import assert from "node:assert/strict";
import { test } from "node:test";
import { Lanes } from "./lanes.js";

test("steps of a lane run one at a time in order, past one that fails, and other lanes do not wait", async () => {
  const lanes = new Lanes();
  const log: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = lanes.run("a", async () => {
    await gate;
    log.push("a1");
    throw new Error("no");
  });
  const second = lanes.run("a", async () => log.push("a2"));
  await lanes.run("b", async () => log.push("b1"));
  const idle = lanes.idle("a").then(() => log.push("idle"));
  open();
  await assert.rejects(first, /no/);
  await Promise.all([second, idle]);
  assert.deepEqual(log, ["b1", "a1", "a2", "idle"]);
  await lanes.idle("a");
});
