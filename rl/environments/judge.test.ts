import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ActorsError } from "../../runtime/index.js";
import { arithmetic } from "./arithmetic/index.js";
import { type ChatJudgeOptions, chatJudge, judged, rewardOf } from "./judge.js";
import { noSandbox, play } from "./play.js";
import { seededRandom } from "./random.js";

const context = noSandbox();
const task = arithmetic.heldOutTasks()[0]!;

test("the terms of a reward add up by their weights, and are told", () => {
  const terms = { solved: [1, 1], cost: [-0.1, 3] } as const;
  assert.deepEqual(rewardOf(terms), { reward: 1 - 0.1 * 3, info: { solved: 1, cost: 3 } });
});

test("a judge's score is added at the end, from the whole episode, and a snapshot goes on with it", async () => {
  const def = judged(arithmetic, async ({ turns, reward }) => (reward + 1 / turns.length) / 2, 0.5);
  const played = await play(def, task, arithmetic.expert!, seededRandom(1), context);
  assert.deepEqual([played.reward, played.steps.at(-1)!.info["judge"]], [1 + 0.5 * 0.75, 0.75]);
  const [env, branch] = [def.create(), def.create()];
  await env.reset(task, context);
  await env.step("calculate 1 + 1", context);
  await branch.restore!(JSON.parse(JSON.stringify(await env.snapshot!())));
  await branch.step(`answer #### ${task.answer}`, context);
  assert.deepEqual(await branch.evaluate!(context), { reward: 0.5 * 0.75, info: { judge: 0.75 } });
});

test("what a judge throws, or gives beyond 0 to 1, is no score", async () => {
  const failed = judged(arithmetic, () => Promise.reject(new ActorsError("UNAVAILABLE", "no judge")), 1);
  await assert.rejects(play(failed, task, arithmetic.expert!, seededRandom(1), context), /no judge/);
  const wrong = judged(arithmetic, async () => Number.NaN, 1);
  await assert.rejects(
    play(wrong, task, arithmetic.expert!, seededRandom(1), context),
    /gave NaN, which is not from 0/,
  );
  const slow = judged(arithmetic, () => new Promise(() => {}), 1, 1);
  await assert.rejects(
    play(slow, task, arithmetic.expert!, seededRandom(1), context),
    /the judge of arithmetic took longer/,
  );
});

test("a language model is asked for a mark by OpenAI's chat interface", async () => {
  const asked: { headers: unknown; body: { model: string; messages: { content: string }[] } }[] = [];
  const answers: [number, string][] = [
    [200, "mark: 2\nOn second thoughts it is good.\nmark: 7.5"],
    [200, "It is good."],
    [503, "busy"],
    [401, "no key"],
  ];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    asked.push({ headers: request.headers["authorization"], body: JSON.parse(text) });
    const [status, content] = answers[asked.length - 1]!;
    response.writeHead(status).end(status === 200 ? JSON.stringify({ choices: [{ message: { content } }] }) : content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const options: ChatJudgeOptions = { url, model: "m", rubric: "Is it short?", apiKey: "k" };
  const episode = { prompt: "p", turns: [{ action: "a", observation: "o" }], reward: 0 };
  const mark = () => chatJudge(options)(episode, context.signal);
  try {
    assert.equal(await mark(), 0.75);
    await assert.rejects(mark(), (error: ActorsError) => error.retryable && /gave no mark/.test(error.message));
    await assert.rejects(mark(), (error: ActorsError) => error.retryable && /503: busy/.test(error.message));
    await assert.rejects(mark(), (error: ActorsError) => !error.retryable && /401: no key/.test(error.message));
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const { headers, body } = asked[0]!;
  assert.deepEqual([headers, body.model, body.messages[1]!.content], ["Bearer k", "m", "p\n> a\no"]);
  assert.match(body.messages[0]!.content, /^Is it short\?\n\n/);
});
