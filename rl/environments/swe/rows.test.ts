import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { matchesR2e, resolutionOf } from "./resolved.js";
import { reversed } from "./reversed.js";
import { readSweRows, sweBenchImage, sweGymImage } from "./rows.js";

const folder = mkdtempSync(join(tmpdir(), "swe-rows-"));
after(() => rmSync(folder, { recursive: true }));

function file(...rows: object[]): string {
  const path = join(folder, "rows.jsonl");
  writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
  return path;
}

// Columns, types and names as the data sets are published; texts are made up.
const bench = {
  repo: "astropy/astropy",
  instance_id: "astropy__astropy-12907",
  base_commit: "d16bfe05a744909de4b27f5875fe0d4ed41ce607",
  patch: "diff --git a/a.py b/a.py\n",
  test_patch: "diff --git a/tests/t.py b/tests/t.py\n",
  problem_statement: "It is wrong.",
  hints_text: "",
  created_at: "2022-03-03T15:14:54Z",
  version: "4.3",
  FAIL_TO_PASS: '["tests/t.py::test_a[case-1]"]',
  PASS_TO_PASS: '["tests/t.py::test_b", "tests/t.py::test_c"]',
  environment_setup_commit: "298ccb478e6bf092953bca67a3d29dc6c35f6752",
};

test("rows of SWE-bench and SWE-Gym are read, and name their images", () => {
  const [row] = readSweRows(file(bench), "swe-bench");
  assert.equal(row!.image, "swebench/sweb.eval.x86_64.astropy_1776_astropy-12907:latest");
  assert.deepEqual(row!.FAIL_TO_PASS, ["tests/t.py::test_a[case-1]"]);
  assert.equal(row!.PASS_TO_PASS.length, 2);
  assert.equal(row!.test_patch, bench.test_patch);
  const gym = {
    ...bench,
    instance_id: "Project-MONAI__MONAI-4800",
    FAIL_TO_PASS: ["a"],
    PASS_TO_PASS: [],
    hints_text: null,
  };
  const [monai] = readSweRows(file(gym), "swe-gym");
  assert.equal(monai!.image, "xingyaoww/sweb.eval.x86_64.project-monai_s_monai-4800:latest");
  assert.equal(monai!.hints_text, "");
  assert.notEqual(sweBenchImage("a__b-1"), sweGymImage("a__b-1"));
});

test("a row of SWE-smith is the bug: its reference is the reverse", () => {
  const patch =
    "diff --git a/x.py b/x.py\nindex 1111111..2222222 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@ def f():\n-good\n+bad\n same\n";
  const [row] = readSweRows(
    file({
      instance_id: "oauthlib__oauthlib.1fd52536.combine_file__09vlzwgc",
      patch,
      FAIL_TO_PASS: ["tests/t.py::T::test_a"],
      PASS_TO_PASS: ["tests/t.py::T::test_b"],
      image_name: "jyangballin/swesmith.x86_64.oauthlib_1776_oauthlib.1fd52536",
      repo: "swesmith/oauthlib__oauthlib.1fd52536",
      problem_statement: "It is wrong.",
    }),
    "swe-smith",
  );
  assert.equal(row!.branch, row!.instance_id);
  assert.match(
    row!.patch!,
    /index 2222222\.\.1111111 100644\n--- a\/x\.py\n\+\+\+ b\/x\.py\n@@ -1,2 \+1,2 @@ def f\(\):\n\+good\n-bad\n same\n/,
  );
});

test("a row of R2E holds its statement between marks and the status of every test", () => {
  const [row] = readSweRows(
    file({
      repo_name: "orange3",
      docker_image: "namanjain12/orange3_final:2d9617bd0cb1f0ba61771258410ab8fae8e7e24d",
      commit_hash: "2d9617bd0cb1f0ba61771258410ab8fae8e7e24d",
      parsed_commit_content: "{}",
      execution_result_content: "{}",
      modified_files: ["Orange/a.py"],
      relevant_files: ["Orange/a.py"],
      problem_statement: "[ISSUE]\n\nIt is wrong.\n\n[/ISSUE]",
      expected_output_json: '{"T.test_a": "PASSED", "T.test_b": "FAILED"}',
    }),
    "r2e",
  );
  assert.equal(row!.problem_statement, "It is wrong.");
  assert.equal(row!.image, "namanjain12/orange3_final:2d9617bd0cb1f0ba61771258410ab8fae8e7e24d");
  const expected = row!.expected!;
  assert.ok(matchesR2e(expected, { "T.test_b": "FAILED", "\u001b[1mT.test_a\u001b[0m - reason": "PASSED" }));
  assert.ok(!matchesR2e(expected, { "T.test_a": "PASSED" }));
  assert.ok(!matchesR2e(expected, { "T.test_a": "PASSED", "T.test_b": "PASSED" }));
  assert.ok(!matchesR2e(expected, { ...expected, "T.test_c": "PASSED" }));
});

test("what is wrong with a row is named with its place", () => {
  const { repo: _, ...without } = bench;
  assert.throws(() => readSweRows(file(bench, without), "swe-bench"), /rows\.jsonl:2: repo: /);
  assert.throws(
    () => readSweRows(file({ ...bench, FAIL_TO_PASS: "a, b" }), "swe-bench"),
    /rows\.jsonl:1: FAIL_TO_PASS: /,
  );
});

test("resolved: all of both lists; a skipped test is a failure only where it had to begin to pass", () => {
  const expected = { FAIL_TO_PASS: ["f", "g"], PASS_TO_PASS: ["p"] };
  const is = (f: string, g: string | undefined, p: string) =>
    resolutionOf(expected, { f, ...(g && { g }), p } as never).resolved;
  assert.ok(is("PASSED", "PASSED", "PASSED"));
  assert.ok(is("PASSED", "XFAIL", "SKIPPED"));
  assert.ok(!is("PASSED", "SKIPPED", "PASSED"));
  assert.ok(!is("PASSED", undefined, "PASSED"));
  assert.ok(!is("PASSED", "PASSED", "FAILED"));
  assert.ok(!is("ERROR", "PASSED", "PASSED"));
});

test("git takes back by the reverse what it did by a patch", () => {
  const git = (cwd: string, args: string[], input = "") => execFileSync("git", args, { cwd, input, encoding: "utf8" });
  const line = fc.constantFrom("a", "-- b", "++ c", "", "@@ -1 +1 @@", "--- x");
  const content = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean())
    .map(([lines, end]) => lines.join("\n") + (end ? "\n" : ""));
  const tree = fc.record({ "one.txt": content, "sub/two.txt": content }, { requiredKeys: [] });
  fc.assert(
    fc.property(tree, tree, (before, now) => {
      const cwd = mkdtempSync(join(folder, "git-"));
      const put = (files: Record<string, string | undefined>) => {
        for (const name of ["one.txt", "sub"]) rmSync(join(cwd, name), { recursive: true, force: true });
        mkdirSync(join(cwd, "sub"));
        for (const [path, text] of Object.entries(files)) if (text !== undefined) writeFileSync(join(cwd, path), text);
      };
      git(cwd, ["init", "-q"]);
      put(before);
      git(cwd, ["add", "-A"]);
      const tree = git(cwd, ["write-tree"]);
      put(now);
      const patch = git(cwd, ["add", "-A"]) + git(cwd, ["diff", "--cached", tree.trim()]);
      if (patch === "") return;
      git(cwd, ["apply", "--index", "--whitespace=nowarn", "-"], reversed(patch));
      assert.equal(git(cwd, ["write-tree"]), tree);
    }),
    { numRuns: 6, seed: 3 },
  );
});
