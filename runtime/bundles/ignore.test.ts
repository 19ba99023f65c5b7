import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { isLeftOut, rulesOf } from "./ignore.js";
import { temporary, write } from "./testing.js";

test("patterns are read as git reads them", (t) => {
  const patterns = [
    "# a comment",
    "*.log",
    "!keep.log",
    "/rooted",
    "build/",
    "a/b",
    "deep/**/end",
    "all/**",
    "**/any",
    "?.x",
    "[ab].y",
    "[!ab].z",
    "sp\\ ace ",
    "\\#hash",
    "dot.only",
  ];
  const paths = [
    "x.log",
    "s/x.log",
    "keep.log",
    "s/keep.log",
    "rooted",
    "s/rooted",
    "build",
    "s/build",
    "a/b",
    "s/a/b",
    "deep/end",
    "deep/1/2/end",
    "all/of/it",
    "s/any",
    "any",
    "1.x",
    "12.x",
    "a.y",
    "c.y",
    "a.z",
    "c.z",
    "sp ace",
    "#hash",
    "# a comment",
    "dot.only",
    "dotxonly",
  ];
  const dir = temporary(t);
  write(dir, { ".gitignore": patterns.join("\r\n") });
  execFileSync("git", ["init", "-q"], { cwd: dir });
  const ignored = (path: string) => {
    try {
      execFileSync("git", ["check-ignore", "-q", "--no-index", path], { cwd: dir });
      return true;
    } catch {
      return false;
    }
  };
  const rules = rulesOf(dir, []);
  for (const path of paths) assert.equal(isLeftOut(join(dir, path), false, rules), ignored(path), path);
  assert.equal(isLeftOut(join(dir, "build"), true, rules), true, "a folder");
});
