import assert from "node:assert/strict";
import test from "node:test";
import { parseArgs } from "../src/args.js";

const spec = {
  header: { type: "string", short: "H", many: true },
  color: { type: "boolean", short: "c" },
  all: { type: "boolean", short: "a" },
  count: { type: "number", short: "n" },
  offset: { type: "number" },
  name: { type: "string" },
};
const options = (...argv) => parseArgs(argv, spec).options;

test("an equals sign in a value", () => {
  assert.deepEqual(options("--name=a=b"), { header: [], name: "a=b" });
  assert.deepEqual(options("--name="), { header: [], name: "" });
});

test("no- turns a boolean off, and nothing else", () => {
  assert.equal(options("--color", "--no-color").color, false);
  assert.throws(() => options("--no-name"), /--no-name/);
  assert.throws(() => options("--color=yes"), /--color/);
});

test("after two dashes all is positional", () => {
  assert.deepEqual(parseArgs(["-a", "--", "--color", "-x", "--"], spec).positionals, ["--color", "-x", "--"]);
});

test("short ones, in one and with values", () => {
  assert.deepEqual(options("-ac"), { header: [], all: true, color: true });
  assert.deepEqual(options("-n5"), { header: [], count: 5 });
  assert.deepEqual(options("-an", "5"), { header: [], all: true, count: 5 });
  assert.deepEqual(options("-an-5"), { header: [], all: true, count: -5 });
});

test("many", () => {
  assert.deepEqual(options("-H", "a", "--header=b", "-Hc").header, ["a", "b", "c"]);
  assert.deepEqual(options().header, []);
  const own = options("-H", "x").header;
  own.push("y");
  assert.deepEqual(options().header, []);
});

test("a dash alone, and negative numbers", () => {
  assert.deepEqual(parseArgs(["-", "--offset", "-5"], spec), { options: { header: [], offset: -5 }, positionals: ["-"] });
});

test("errors name the option", () => {
  assert.throws(() => options("--unknown"), /--unknown/);
  assert.throws(() => options("--unknown=5"), /--unknown(?!=)/);
  assert.throws(() => options("-az"), /-z/);
  assert.throws(() => options("--name"), /--name/);
  assert.throws(() => options("-n"), /-n/);
  assert.throws(() => options("--count", "five"), /--count/);
  assert.throws(() => options("--constructor"), /--constructor/);
  assert.throws(() => options("--count="), /--count/);
});
