import { readdirSync } from "node:fs";
import { join } from "node:path";
import { layers } from "../setup/typescript.mjs";

const skipped = new Set(["node_modules", "build", "gen"]);

/**
 * The tests that have a source: TypeScript by what it was built to, scripts as they are. What an older build left behind
 * without a source is not run.
 * @param {string} root
 * @param {string[]} patterns none: all
 */
export function findTests(root, patterns) {
  const sources = [...layers, "scripts", "protos"].flatMap((folder) => walk(join(root, folder), folder));
  const wanted = sources.filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)));
  const files = wanted.flatMap((path) => {
    if (path.endsWith(".test.ts")) return join(root, "dist", path.replace(/\.ts$/, ".js"));
    return path.endsWith(".test.mjs") ? join(root, path) : [];
  });
  const e2e = (/** @type {string} */ path) => /\.e2e\.test\.m?js$/.test(path);
  return { units: files.filter((path) => !e2e(path)), e2e: files.filter(e2e) };
}

/**
 * @param {string} dir
 * @param {string} below the same folder, as seen from the root
 * @returns {string[]}
 */
function walk(dir, below) {
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${below}/${entry.name}`;
      if (!entry.isDirectory()) return [path];
      return skipped.has(entry.name) ? [] : walk(join(dir, entry.name), path);
    });
}
