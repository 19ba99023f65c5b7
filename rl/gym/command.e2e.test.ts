import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gym-"));
after(() => rmSync(folder, { recursive: true }));

function gym(args: string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "gym", ...args], {
    ...{ cwd: folder, input, encoding: "utf8", timeout: 30_000 },
  });
  return { status, stdout, stderr };
}

test("an episode is played from stdin, with JSON for scripts", () => {
  const { status, stdout } = gym(["run", "arithmetic", "--by", "hand", "--json"], "calculate 6 * 7\nanswer #### -1\n");
  const [first, ...steps] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([status, first.tools[0].function.name], [0, "calculate"]);
  assert.deepEqual(
    steps.map(({ action, observation, terminated }) => [action, observation, terminated]),
    [
      ["calculate 6 * 7", "42", false],
      ["answer #### -1", "", true],
    ],
  );
});

test("verify plays an environment that needs a sandbox, and its exit code says whether one is fit", () => {
  const good = gym(["verify", "quickstart", "--tasks", "3"]);
  assert.deepEqual([good.status, good.stdout], [0, "quickstart   expert 1.000   random 0.000   snapshot no\n"]);
  const source = new URL("../environments/built-in.js", import.meta.url).href;
  writeFileSync(
    join(folder, "bad.mjs"),
    `import { builtIn } from ${JSON.stringify(source)};
     export default { ...builtIn.arithmetic, expert: builtIn.arithmetic.random };`,
  );
  const bad = gym(["verify", "./bad.mjs", "--tasks", "3"]);
  assert.equal(bad.status, 1);
  assert.match(
    bad.stderr,
    /^actors: \.\/bad\.mjs is not fit to be trained on: the expert's mean reward, 0, is not above/,
  );
});

test("gym explains itself", () => {
  const { status, stdout } = gym([]);
  assert.equal(status, 0);
  assert.match(stdout, /^Usage: actors gym[\s\S]*Examples:\n {2}\$ actors gym ls/);
});
