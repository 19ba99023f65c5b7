import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentDef } from "../environment.js";
import { noSandbox } from "../play.js";
import { seededRandom } from "../random.js";
import { ToolError } from "../tools.js";
import { verify } from "../verify.js";
import { ReadOnlyDatabase } from "./database.js";
import { type SqlTask, sameRows, sql } from "./index.js";
import { scriptOf, themes } from "./themes.js";

const limits = { rows: 5, steps: 100_000 };

test("a SELECT is run, whatever would change something or takes long is refused, and the database is as it was", async () => {
  using database = await ReadOnlyDatabase.open(scriptOf("shop", 1));
  const count = () => database.query("SELECT count(*) FROM orders", limits).rows[0]![0];
  assert.equal(count(), 60);
  assert.equal(database.query("SELECT * FROM orders", limits).cut, true);
  assert.deepEqual(database.query("VALUES (1, 'a', NULL, 2.5)", limits).rows, [[1, "a", null, 2.5]]);
  const refused: [string, RegExp][] = [
    ["DELETE FROM orders", /only a SELECT/],
    ["WITH x AS (SELECT 1) DELETE FROM orders", /only a SELECT/],
    ["ATTACH '/etc/passwd' AS other", /only a SELECT/],
    ["PRAGMA query_only = 0", /only a SELECT/],
    ["SELECT nobody FROM orders", /^no such column: nobody$/],
    ["SELECT load_extension('x')", /not authorized|no such function/],
    ["WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r", /takes too long/],
    ["SELECT length(zeroblob(900000000))", /too big|out of memory/],
    ["", /only a SELECT/],
  ];
  for (const [statement, message] of refused) {
    assert.throws(
      () => database.query(statement, limits),
      (error: Error) => {
        assert.ok(error instanceof ToolError, String(error));
        assert.match(error.message, message);
        return true;
      },
      statement,
    );
  }
  assert.equal(count(), 60);
  database.query("SELECT 1; DELETE FROM orders", limits);
  assert.equal(count(), 60);
});

test("every kind of question is read by its own sign alone, and has rows", async () => {
  for (const [theme, { asks }] of Object.entries(themes)) {
    for (const [i, { question, sign, sql: select }] of asks.entries()) {
      const asked = question(seededRandom(i));
      const found = Object.values(themes).flatMap((each) => each.asks.filter((ask) => ask.sign.test(asked)));
      assert.equal(found.length, 1, asked);
      using database = await ReadOnlyDatabase.open(scriptOf(theme as never, 2));
      const { rows } = database.query(select(...sign.exec(asked)!.slice(1)), { ...limits, rows: 100 });
      assert.ok(rows.length > 0, asked);
    }
  }
});

test("rows are compared as a bag, in their order only where that is asked for", () => {
  const rows = (...all: (string | number | null)[][]) => ({ columns: all[0]!.map(String), rows: all, cut: false });
  assert.ok(sameRows(rows([1, "a"], [2, null]), rows([2, null], [1, "a"]), false));
  assert.ok(!sameRows(rows([1, "a"], [2, null]), rows([2, null], [1, "a"]), true));
  assert.ok(!sameRows(rows([1], [1]), rows([1]), false));
  assert.ok(sameRows(rows([0.1 + 0.2]), rows([0.3]), true));
  assert.ok(!sameRows(rows([1, 2]), rows([1]), false));
});

test("an answer that was read off the rows is wrong, and told", async () => {
  const task = sql.heldOutTasks().find((each) => /How many customers/.test((each as SqlTask).question)) as SqlTask;
  const env = sql.create();
  const context = noSandbox();
  await env.reset(task, context);
  const told = (await env.step(`query ${task.reference}`, context)).observation.split("\n");
  const end = await env.step(`submit SELECT ${told[1]}`, context);
  assert.deepEqual([told[0], end.reward, end.info["these_rows_only"]], ["count(*)", 0, 1]);
});

test("its expert answers every held-out question, chance next to none, and it passes the checks of every environment", async () => {
  const { expert, random, snapshot, problems } = await verify(sql as EnvironmentDef, 100, noSandbox());
  assert.deepEqual([problems, snapshot, expert], [[], true, 1]);
  assert.ok(random! <= 0.05, `random ${random}`);
});
