import assert from "node:assert/strict";
import test from "node:test";
import { format, parse } from "../src/duration.js";

test("all that config files hold", () => {
  const good = { "500ms": 500, "10ms": 10, "1s500ms": 1_500, "1.5h": 5_400_000, "0.5s": 500, "2d": 172_800_000, "0": 0, "0s": 0 };
  for (const [text, ms] of Object.entries(good)) assert.equal(parse(text), ms, text);
});

test("blanks are fine between parts", () => {
  assert.equal(parse("5 m"), 300_000);
  assert.equal(parse(" 1 h  30m "), 5_400_000);
  assert.equal(parse("1m 30s"), 90_000);
});

test("anything else is refused, and quoted", () => {
  for (const text of ["1h30", "abc", "", " ", "h", "1h-5m", "1m1h", "1h1h", "5x", "1..5h", "1e3s", "1ms1s", "m5", "-5m", "1,5h"])
    assert.throws(() => parse(text), (error) => error instanceof TypeError && error.message.includes(JSON.stringify(text)), text);
});

test("what is written is read back", () => {
  assert.equal(format(90_061_001), "1d1h1m1s1ms");
  for (const ms of [0, 1, 999, 60_000, 90_061_001, 86_399_999]) assert.equal(parse(format(ms)), ms);
});
