import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

interface Rule {
  /** Folder of the file that has the rule. */
  base: string;
  pattern: RegExp;
  foldersOnly: boolean;
  /** `!`: takes back what an earlier rule left out. */
  keeps: boolean;
}

export type Rules = readonly Rule[];

/** Never part of a bundle, whatever the rules say; the last one holds a cluster's token. */
export const never: ReadonlySet<string> = new Set(["node_modules", ".git", ".actors"]);

/** What the folders above say, up to the root of the repository. */
export function rulesAbove(dir: string): Rules {
  const above = dirname(dir);
  if (existsSync(join(dir, ".git")) || above === dir) return [];
  return rulesOf(above, rulesAbove(above));
}

/** With those of the folder itself: its .actorsignore, else its .gitignore. */
export function rulesOf(dir: string, above: Rules): Rules {
  for (const name of [".actorsignore", ".gitignore"]) {
    let text: string;
    try {
      text = readFileSync(join(dir, name), "utf8");
    } catch {
      continue;
    }
    return [...above, ...text.split(/\r?\n/).flatMap((line) => parse(line, dir) ?? [])];
  }
  return above;
}

/** Whether it stays out of the bundle. Nothing within a folder that stays out is asked for. */
export function isLeftOut(path: string, isFolder: boolean, rules: Rules): boolean {
  const last = rules.findLast(
    ({ base, pattern, foldersOnly }) =>
      (isFolder || !foldersOnly) && pattern.test(relative(base, path).split(sep).join("/")),
  );
  return last !== undefined && !last.keeps;
}

/** One line as git reads it. */
function parse(line: string, base: string): Rule | undefined {
  const keeps = line.startsWith("!");
  let glob = line.slice(keeps ? 1 : 0).replace(/(?<!\\)\s+$/, "");
  if (glob === "" || line.startsWith("#")) return undefined;
  const foldersOnly = glob.endsWith("/");
  if (foldersOnly) glob = glob.slice(0, -1);
  const anchored = glob.includes("/");
  const pattern = new RegExp(`^${anchored ? "" : "(?:.*/)?"}${translate(glob.replace(/^\//, ""))}$`, "s");
  return { base, pattern, foldersOnly, keeps };
}

function translate(glob: string): string {
  return glob.replace(
    /\*\*\/|\/\*\*$|\*+|\?|\[(!?)((?:\\.|[^\]])+)\]|\\(.)|[.+^${}()|[\]\\]/g,
    (token, not: string | undefined, set: string | undefined, escaped: string | undefined) => {
      if (token === "**/") return "(?:.*/)?";
      if (token === "/**") return "/.*";
      if (token.startsWith("*")) return "[^/]*";
      if (token === "?") return "[^/]";
      if (set !== undefined) return `[${not ? "^" : ""}${set.replace(/\[/g, "\\[")}]`;
      return `\\${escaped ?? token}`.replace(/^\\(\w)$/, "$1");
    },
  );
}
