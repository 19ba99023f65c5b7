import assert from "node:assert/strict";
import test from "node:test";
import { and, or } from "../src/conditions.js";
import { select } from "../src/select.js";

const where = (condition) => {
  const { sql, params } = select("t").where(condition).build();
  return [sql.replace('SELECT * FROM "t" WHERE ', ""), params];
};

test("names are quoted", () => {
  assert.deepEqual(select('us"ers').where({ "a b": 1 }).orderBy("na;me").build(), {
    sql: 'SELECT * FROM "us""ers" WHERE "a b" = $1 ORDER BY "na;me" ASC',
    params: [1],
  });
});

test("nesting", () => {
  assert.deepEqual(where(and({ a: 1 }, or({ b: 2 }, { c: 3 }))), ['"a" = $1 AND ("b" = $2 OR "c" = $3)', [1, 2, 3]]);
  assert.deepEqual(where(or({ a: 1, b: 2 }, and({ c: 3 }, { d: 4 }))), ['("a" = $1 AND "b" = $2) OR ("c" = $3 AND "d" = $4)', [1, 2, 3, 4]]);
  assert.deepEqual(where(and(or({ a: 1 }))), ['"a" = $1', [1]]);
});

test("nulls and lists", () => {
  assert.deepEqual(where({ a: null, b: [1, 2], c: undefined }), ['"a" IS NULL AND "b" IN ($1, $2) AND "c" IS NULL', [1, 2]]);
  assert.deepEqual(where({ a: [] }), ["FALSE", []]);
  assert.deepEqual(where({ a: [1, null] }), ['("a" IN ($1) OR "a" IS NULL)', [1]]);
  assert.deepEqual(where({ a: [null] }), ['"a" IS NULL', []]);
});

test("empty conditions", () => {
  assert.deepEqual(where({}), ["TRUE", []]);
  assert.deepEqual(where(and()), ["TRUE", []]);
  assert.deepEqual(where(or()), ["FALSE", []]);
});

test("conditions can be used again", () => {
  const adult = Object.freeze({ adult: true });
  const first = select("t").where(and({ x: 1 }, adult)).build();
  const second = select("t").where(adult).build();
  assert.match(first.sql, /"adult" = \$2$/);
  assert.match(second.sql, /"adult" = \$1$/);
  assert.deepEqual(second.params, [true]);
});

test("columns named like our own words", () => {
  assert.deepEqual(where({ op: "x", sql: "1", parts: 2 }), ['"op" = $1 AND "sql" = $2 AND "parts" = $3', ["x", "1", 2]]);
});

test("where twice, and building twice", () => {
  const query = select("t").where(or({ a: 1 }, { b: 2 })).where({ c: 3 });
  const built = query.build();
  assert.equal(built.sql, 'SELECT * FROM "t" WHERE ("a" = $1 OR "b" = $2) AND "c" = $3');
  assert.deepEqual(query.build(), built);
});

test("order and limit", () => {
  assert.equal(select("t").orderBy("a").orderBy("b", "DESC").limit(0).build().sql, 'SELECT * FROM "t" ORDER BY "a" ASC, "b" DESC LIMIT 0');
  for (const bad of ["up", "asc; drop", "", null]) assert.throws(() => select("t").orderBy("a", bad), /asc|desc/i);
  for (const bad of [-1, 1.5, "5; x", "5"]) assert.throws(() => select("t").limit(bad), RangeError);
});
