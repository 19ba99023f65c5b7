import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findTests } from "./files.mjs";

/** @param {import("node:test").TestContext} t */
function folder(t) {
  const dir = mkdtempSync(join(tmpdir(), "test-runner-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

const passing = 'import { test } from "node:test"; test("unit passes", () => {});';
const failing = 'import { test } from "node:test"; test("e2e fails", () => { throw new Error("as it should"); });';

/**
 * @param {string} dir
 * @param {{ units: string[], e2e: string[] }} tests
 */
function run(dir, tests) {
  const program = join(dir, "program.mjs");
  const module = JSON.stringify(new URL("./run.mjs", import.meta.url));
  writeFileSync(
    program,
    `import { runTests } from ${module}; process.exitCode = (await runTests(${JSON.stringify(tests)})) ? 0 : 1;`,
  );
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT; // else node takes the inner run for a part of this one
  const { status, stdout } = spawnSync(process.execPath, [program], { env, encoding: "utf8", timeout: 60_000 });
  return { status, lines: stdout.trimEnd().split("\n") };
}

test("both kinds are one run with one summary at its end, and one failure fails it", (t) => {
  const dir = folder(t);
  const [unit, e2e] = [join(dir, "a.test.mjs"), join(dir, "b.e2e.test.mjs")];
  writeFileSync(unit, passing);
  writeFileSync(e2e, failing);
  const { status, lines } = run(dir, { units: [unit], e2e: [e2e] });
  assert.equal(status, 1);
  const summary = lines.slice(-9).map((line) => line.replace(/ [\d.]+$/, (n) => (line.includes("duration") ? "" : n)));
  assert.deepEqual(summary, [
    "1..2",
    "# tests 2",
    "# suites 0",
    "# pass 1",
    "# fail 1",
    "# cancelled 0",
    "# skipped 0",
    "# todo 0",
    "# duration_ms",
  ]);
  const order = lines.filter((line) => /^(not )?ok/.test(line));
  assert.deepEqual(order, ["ok 1 - unit passes", "not ok 2 - e2e fails"]);
  assert.equal(run(dir, { units: [unit], e2e: [] }).status, 0);
});

test("only tests with a source are found, those with real processes apart, filtered by path", (t) => {
  const dir = folder(t);
  for (const name of [
    "native",
    "runtime/core",
    "runtime/gen",
    "rl",
    "examples",
    "bench",
    "scripts",
    "protos",
    "dist/runtime",
  ]) {
    mkdirSync(join(dir, name), { recursive: true });
  }
  for (const name of [
    "runtime/core/a.test.ts",
    "runtime/core/b.e2e.test.ts",
    "runtime/core/a.ts",
    "runtime/gen/x.test.ts",
    "scripts/c.test.mjs",
    "dist/runtime/stale.test.js",
  ]) {
    writeFileSync(join(dir, name), "");
  }
  assert.deepEqual(findTests(dir, []), {
    units: [join(dir, "dist/runtime/core/a.test.js"), join(dir, "scripts/c.test.mjs")],
    e2e: [join(dir, "dist/runtime/core/b.e2e.test.js")],
  });
  assert.deepEqual(findTests(dir, ["core/b"]).units, []);
});
