import assert from "node:assert/strict";
import test from "node:test";
import { lines } from "../src/lines.js";

async function* chunks(...all) {
  for (const chunk of all) yield Buffer.from(chunk);
}

test("whole lines", async () => {
  const seen = [];
  for await (const line of lines(chunks("a", "b"))) seen.push(line);
  assert.ok(seen.length > 0);
});
