import type MiniSearch from "minisearch";
import { z } from "zod";
import type { Script } from "../environment.js";
import { pick, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { ToolError, toolsOf } from "../tools.js";
import { type Article, corpus } from "./corpus.js";
import { f1, isExact } from "./grade.js";
import { type Hop, heldOut, kinds, type SearchTask, trained } from "./questions.js";

interface SearchState {
  opened: string[];
}

const shownHits = 5;

let index: Promise<MiniSearch<Article>> | undefined;
/** BM25+ over titles and texts. */
const openIndex = () => {
  index ??= import("minisearch").then(({ default: Index }) => {
    const made = new Index<Article>({ fields: ["title", "text"], storeFields: ["title"] });
    made.addAll(corpus);
    return made;
  });
  return index;
};

const { tool } = toolsOf<SearchTask, SearchState>();

const tools = {
  search: tool("Find articles by words.", { query: z.string().max(200) }, async ({ query }) => {
    const hits = (await openIndex()).search(query).slice(0, shownHits);
    return hits.map(({ id, title }) => `${id} ${title}`).join("\n") || "nothing is found";
  }),
  open: tool("Read an article.", { id: z.string() }, ({ id }, { state }) => {
    const found = corpus.find((each) => each.id === id);
    if (!found) throw new ToolError(`there is no article ${id}`);
    if (!state.opened.includes(id)) state.opened.push(id);
    return found.text;
  }),
  answer: tool("Answer the question, and end.", { text: z.string().max(200) }, ({ text }, { task, state }) => {
    const [reward, exact] = [f1(text, task.answer), Number(isExact(text, task.answer))];
    return { observation: "", reward, done: true, info: { solved: exact, opened: state.opened.length } };
  }),
};

const reads: Record<Hop, RegExp> = {
  maker: /made by (.+)\./,
  teacher: /pupil of (.+)\./,
  birthplace: /born \d+ in (\w+)\)/,
  island: /town on (\w+)\./,
  founder: /learned society\. (.+) founded/,
  seat: /meets in (.+)\./,
  craft: /known for its (.+)\./,
  sea: /in the (.+?)\./,
  river: /river (\w+) /,
};

/** From article to article, by the title. */
const expert: Script = function* (prompt) {
  const question = prompt.split("\n").at(-1)!;
  const { sign, hops } = kinds.find((kind) => kind.sign.test(question))!;
  let known = sign.exec(question)![1]!;
  for (const hop of hops) {
    const hits = (yield `search ${known}`).split("\n").map((line) => line.split(/ (.*)/) as [string, string]);
    const [id] = hits.find(([, title]) => title === known) ?? hits[0]!;
    known = reads[hop].exec(yield `open ${id}`)![1]!;
  }
  yield `answer ${known}`;
};

/** Opens one of the articles that the question's words find, and answers with a name in it. */
const random: Script = function* (prompt, dice) {
  const question = prompt.split("\n").at(-1)!;
  const hits = (yield `search ${question}`).split("\n");
  const text = yield `open ${pick(hits, dice).split(" ")[0]}`;
  yield `answer ${pick(text.match(/[A-Z]\w+(?: [A-Z]\w+)*/g) ?? ["nobody"], dice)}`;
};

/** Questions over an invented archipelago that take two or three articles to answer. The reward is the F1 of the answer's words. */
export const search = toolEnvironment<SearchTask, SearchState>({
  name: "search",
  maxTurns: 10,
  maxActionTokens: 96,
  start: () => ({ opened: [] }),
  prompt: ({ question }) => `The articles are about an archipelago. Each has a part of the answer.\n${question}`,
  tools,
  trainTask: (seed, index) => pick(trained, seededRandom(seed, index)),
  heldOutTasks: () => heldOut,
  expert,
  random,
});
