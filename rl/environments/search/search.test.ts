import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { verify } from "../verify.js";
import { corpus } from "./corpus.js";
import { f1, isExact } from "./grade.js";
import { search } from "./index.js";
import { heldOut, trained } from "./questions.js";

test("an answer counts by its words, not by case, articles and punctuation", () => {
  assert.ok(isExact(" the Silent Heron.", "Silent heron"));
  assert.ok(!isExact("Silent", "Silent heron"));
  assert.deepEqual([f1("Silent heron", "heron"), f1("a", "the"), f1("gull", "heron")], [2 / 3, 1, 0]);
  assert.equal(f1("tide tide tide", "tide"), 0.5);
});

test("every question has one answer, and none is both trained on and held out", () => {
  const all = [...trained, ...heldOut];
  assert.equal(new Set(all.map(({ question }) => question)).size, all.length);
  assert.ok(heldOut.length >= 50 && trained.length >= 200, `${heldOut.length} and ${trained.length}`);
  assert.equal(new Set(corpus.map(({ title }) => title)).size, corpus.length);
});

test("articles are found by words and read by id", async () => {
  const env = search.create();
  const context = noSandbox();
  await env.reset(trained[0]!, context);
  const step = async (action: string) => (await env.step(action, context)).observation;
  const { id, title, text } = corpus.find(({ id: each }) => each === "s1")!;
  assert.ok((await step(`search ${title.toLowerCase()}`)).startsWith(`${id} ${title}\n`));
  assert.equal(await step(`open ${id}`), text);
  assert.equal(await step("open x1"), "error: there is no article x1");
  assert.equal(await step("search zyzzyva"), "nothing is found");
});

test("its expert answers every held-out question, chance few, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(search as EnvironmentDef, heldOut.length, noSandbox());
  assert.deepEqual([problems, snapshot, expert], [[], true, 1]);
  assert.ok(random! <= 0.1, `random ${random}`);
});
