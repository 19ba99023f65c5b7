import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const expected = "2 5\n1\n2\n3\n[ 1, 1, 1, 1 ]\n";

it("the first program prints what its comments say, without a cluster", () => {
  const dir = mkdtempSync(join(tmpdir(), "first-actor-"));
  try {
    const program = join(root, "dist/examples/first-actor.js");
    assert.equal(execFileSync(process.execPath, [program], { cwd: dir, encoding: "utf8", timeout: 30_000 }), expected);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it("the README shows the first program as it is", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const program = readFileSync(join(root, "examples/first-actor.ts"), "utf8");
  assert.ok(readme.includes(`\`\`\`ts\n${program}\`\`\``), "README.md differs from examples/first-actor.ts");
});
