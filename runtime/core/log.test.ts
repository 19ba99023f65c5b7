import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const module = fileURLToPath(new URL("./log.js", import.meta.url));

function run(body: string, level?: string): { lines: Record<string, unknown>[]; loaded: boolean } {
  const program = `
    import { createRequire } from "node:module";
    import { makeLogger } from ${JSON.stringify(module)};
    ${body}
    console.log(Object.keys(createRequire(import.meta.url).cache).some((path) => /node_modules.pino.pino/.test(path)));`;
  const env = { ...process.env, ACTORS_LOG: level };
  const all = execFileSync("/bin/sh", ["-c", 'exec "$0" --input-type=module -e "$1" 2>&1', process.execPath, program], {
    env,
  });
  const lines = all.toString().trim().split("\n");
  return { loaded: lines.pop() === "true", lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("a logger writes what is of its level, its children what they are bound to, and loads nothing before", () => {
  const talk = `const log = makeLogger("n"); const one = log.child({ actor: "a1" }).child({ epoch: 2 });
    log.debug("no"); one.info({ x: 1 }, "no");`;
  assert.deepEqual(run(talk), { lines: [], loaded: false });
  const { lines, loaded } = run(
    `${talk} one.warn({ x: 1 }, "yes"); log.error({ err: new Error("e") }, "too"); one.debug("no");`,
  );
  assert.equal(loaded, true);
  assert.deepEqual(
    lines.map(({ name, level, actor, epoch, x, msg }) => [name, level, actor, epoch, x, msg]),
    [
      ["n", 40, "a1", 2, 1, "yes"],
      ["n", 50, undefined, undefined, undefined, "too"],
    ],
  );
  assert.deepEqual(run(`${talk}`, "debug").lines.length, 2);
  assert.deepEqual(run(`${talk} log.fatal("no");`, "silent"), { lines: [], loaded: false });
});
