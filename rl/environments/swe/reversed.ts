/** A unified diff of git that undoes another, but for binary files. */
export function reversed(patch: string): string {
  let left = 0; // lines of the current hunk
  let right = 0;
  const lines = patch.split("\n").map((line) => {
    const kind = line[0];
    if (left > 0 || right > 0) {
      if (kind !== "+" && kind !== "\\") left--;
      if (kind !== "-" && kind !== "\\") right--;
      return kind === "+" ? `-${line.slice(1)}` : kind === "-" ? `+${line.slice(1)}` : line;
    }
    const hunk = /^@@ -(\d+)(,(\d+))? \+(\d+)(,(\d+))? @@(.*)$/.exec(line);
    if (!hunk) return header(line);
    const [, from, fromSize = "", a = "1", to, toSize = "", b = "1", rest] = hunk;
    [left, right] = [Number(a), Number(b)];
    return `@@ -${to}${toSize} +${from}${fromSize} @@${rest}`;
  });
  return namesInOrder(lines).join("\n");
}

const opposites: [RegExp, string][] = [
  [/^diff --git a\/(.*) b\/(.*)$/, "diff --git a/$2 b/$1"],
  [/^index (\w+)\.\.(\w+)(.*)$/, "index $2..$1$3"],
  [/^new file mode /, "deleted file mode "],
  [/^deleted file mode /, "new file mode "],
  [/^rename from /, "rename to "],
  [/^rename to /, "rename from "],
  [/^--- (a\/)?(.*)$/, "+++ $2"],
  [/^\+\+\+ (b\/)?(.*)$/, "--- $2"],
];

function header(line: string): string {
  for (const [pattern, opposite] of opposites) {
    if (!pattern.test(line)) continue;
    const turned = line.replace(pattern, opposite);
    if (turned.startsWith("+++ ")) return turned === "+++ /dev/null" ? turned : turned.replace("+++ ", "+++ b/");
    if (turned.startsWith("--- ")) return turned === "--- /dev/null" ? turned : turned.replace("--- ", "--- a/");
    return turned;
  }
  return line;
}

/** The old name comes before the new one, and from before to. */
function namesInOrder(lines: string[]): string[] {
  const out = [...lines];
  for (let i = 0; i + 1 < out.length; i++) {
    const [first, second] = [out[i]!, out[i + 1]!];
    const turned =
      (first.startsWith("+++ ") && second.startsWith("--- ")) ||
      (first.startsWith("rename to ") && second.startsWith("rename from "));
    if (turned) [out[i], out[i + 1]] = [second, first];
  }
  return out;
}
