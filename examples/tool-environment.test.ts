import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type EnvironmentDef, noSandbox, verify } from "actors/rl";
import { guess } from "./tool-environment.js";

test("the guide's environment passes the checks, its expert always wins and chance next to never", async () => {
  const { expert, random, snapshot, problems } = await verify(guess as EnvironmentDef, 20, noSandbox());
  assert.deepEqual({ expert, snapshot, problems }, { expert: 1, snapshot: true, problems: [] });
  assert.ok(random! <= 0.1, `random ${random}`);
});

test("the guide shows the code that runs here", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const shown = [...read("docs/guides/environments.md").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  const source = read("examples/tool-environment.ts");
  assert.ok(shown.length > 0);
  for (const code of shown) assert.ok(source.includes(code.trimEnd()), code);
});
