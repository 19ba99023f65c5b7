import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { sign, verify } from "../src/token.js";

const raw = (body) => `${body}.${createHmac("sha256", "key").update(body).digest("base64url")}`;

test("any text", () => {
  for (const name of ["Jörg", "日本", "😀", "ÿþ>?", "a", "ab", "abc"]) assert.deepEqual(verify(sign({ name }, "key"), "key"), { name });
});

test("nothing that URLs mind", () => {
  for (let i = 0; i < 50; i++) assert.match(sign({ i, x: "?>~ÿ".repeat(i) }, "key"), /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/);
});

test("the whole signature counts", () => {
  const token = sign({ id: 1 }, "key");
  for (const cut of [1, 10, 42, 43, 44]) assert.equal(verify(token.slice(0, -cut), "key"), null, String(cut));
  assert.equal(verify(`${token}A`, "key"), null);
  assert.equal(verify(`${token}.x`, "key"), null);
  assert.equal(verify(`${token}=`, "key"), null);
});

test("garbage is null", () => {
  for (const bad of ["", ".", "a", "a.b", "..", undefined, null, 5, {}]) assert.equal(verify(bad, "key"), null, String(bad));
  assert.equal(verify(raw("!!!"), "key"), null);
  assert.equal(verify(raw(Buffer.from("{").toString("base64url")), "key"), null);
});

test("only objects", () => {
  for (const payload of ["null", "5", '"x"', "[1]"]) assert.equal(verify(raw(Buffer.from(payload).toString("base64url")), "key"), null, payload);
});

test("exp", () => {
  const token = sign({ exp: 100 }, "key");
  assert.deepEqual(verify(token, "key", { now: 99_999 }), { exp: 100 });
  assert.equal(verify(token, "key", { now: 100_000 }), null);
  assert.equal(verify(token, "key"), null);
  assert.equal(verify(sign({ exp: "soon" }, "key"), "key", { now: 0 }), null);
});
