import { z } from "zod";
import type { Random, Script } from "../environment.js";
import { pick, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { ToolError, toolsOf } from "../tools.js";
import { type QueryLimits, ReadOnlyDatabase, type Rows } from "./database.js";
import { scriptOf, type ThemeName, themes } from "./themes.js";

export interface SqlTask {
  theme: ThemeName;
  /** Of the rows; the answer must also be right of those of the next seed, which the agent never sees. */
  seed: number;
  question: string;
  /** A query that answers it. Its rows count in their order where it has an ORDER BY. */
  reference: string;
}

const shownRows = 20;
const limits: QueryLimits = { rows: 1_000, steps: 2_000_000 };

const { tool } = toolsOf<SqlTask, null>();
const statement = z.string().max(2_000);

const tools = {
  schema: tool("Print the tables and their columns.", {}, (_, { task }) => themes[task.theme].schema),
  query: tool("Run a SELECT.", { sql: statement }, async (input, { task }) => {
    using database = await ReadOnlyDatabase.open(scriptOf(task.theme, task.seed));
    return shown(database.query(input.sql, { ...limits, rows: shownRows }));
  }),
  submit: tool("Give the SELECT that answers the question, and end.", { sql: statement }, async (input, { task }) => {
    const [here, elsewhere] = [
      await isRight(input.sql, task, task.seed),
      await isRight(input.sql, task, task.seed + 1),
    ];
    const solved = Number(here && elsewhere);
    // An answer that is right of these rows alone was read off them, or is so by chance: a sign of reward hacking.
    return {
      observation: "",
      reward: solved,
      done: true,
      info: { solved, these_rows_only: Number(here && !elsewhere) },
    };
  }),
};

/** Both queries on the same rows. A query that cannot be run is wrong. */
async function isRight(given: string, { theme, reference }: SqlTask, seed: number): Promise<boolean> {
  using database = await ReadOnlyDatabase.open(scriptOf(theme, seed));
  const right = database.query(reference, limits);
  try {
    return sameRows(database.query(given, limits), right, /\bORDER BY\b/.test(reference));
  } catch (caught) {
    if (caught instanceof ToolError) return false;
    throw caught;
  }
}

/** Columns may have any name, numbers a rounding error. */
export function sameRows(a: Rows, b: Rows, ordered: boolean): boolean {
  if (a.cut || b.cut || a.columns.length !== b.columns.length) return false;
  const told = ({ rows }: Rows) => {
    const lines = rows.map((row) =>
      JSON.stringify(row.map((v) => (typeof v === "number" ? Number(v.toPrecision(9)) : v))),
    );
    return JSON.stringify(ordered ? lines : lines.sort());
  };
  return told(a) === told(b);
}

function shown({ columns, rows, cut }: Rows): string {
  const lines = [columns, ...rows].map((row) => row.map((value) => value ?? "NULL").join(" | "));
  return [...lines, ...(cut ? ["..."] : [])].join("\n");
}

const expert: Script = function* (prompt) {
  yield "schema";
  for (const { asks } of Object.values(themes)) {
    for (const { sign, sql: answer } of asks) {
      const found = sign.exec(prompt);
      if (!found) continue;
      const select = answer(...found.slice(1));
      yield `query ${select}`;
      yield `submit ${select}`;
    }
  }
};

/** Counts the rows of a table, or names what is in one. */
const random: Script = function* (_, dice) {
  const table = pick([...(yield "schema").matchAll(/TABLE (\w+)/g)], dice)[1]!;
  yield `submit SELECT ${pick(["count(*)", "*"], dice)} FROM ${table}`;
};

function draw(dice: Random): SqlTask {
  const [theme, seed] = [pick(Object.keys(themes) as ThemeName[], dice), 2 * Math.floor(dice() * 2 ** 20)];
  const ask = pick(themes[theme].asks, dice);
  const question = ask.question(dice);
  return { theme, seed, question, reference: ask.sql(...ask.sign.exec(question)!.slice(1)) };
}

/** Questions over small databases are answered by SQL. The reward is 1 for a query whose rows are right, on two databases. */
export const sql = toolEnvironment<SqlTask, null>({
  name: "sql",
  maxTurns: 8,
  maxActionTokens: 384,
  start: () => null,
  prompt: ({ question }) => `A SQLite database. ${question}`,
  tools,
  trainTask: (seed, index) => draw(seededRandom(0, seed, index)),
  heldOutTasks: () => Array.from({ length: 100 }, (_, i) => draw(seededRandom(1, i))),
  expert,
  random,
});
