import assert from "node:assert/strict";
import test from "node:test";
import { parseArgs } from "../src/args.js";

test("values, flags and the rest", () => {
  const spec = { out: { type: "string" }, jobs: { type: "number", default: 1 }, quiet: { type: "boolean" } };
  assert.deepEqual(parseArgs(["a", "--out", "x", "--quiet", "b"], spec), { options: { jobs: 1, out: "x", quiet: true }, positionals: ["a", "b"] });
  assert.deepEqual(parseArgs(["--jobs=4"], spec).options, { jobs: 4 });
});
