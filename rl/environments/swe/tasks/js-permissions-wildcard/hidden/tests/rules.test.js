import assert from "node:assert/strict";
import test from "node:test";
import { Access } from "../src/access.js";

const can = (permission, ...rules) => new Access({ r: { rules } }).can({ roles: ["r"] }, permission);

test("the more specific rule wins, in any order", () => {
  assert.equal(can("docs:delete", "allow docs:*", "deny docs:delete"), false);
  assert.equal(can("docs:delete", "deny docs:delete", "allow docs:*"), false);
  assert.equal(can("docs:read", "deny *", "allow docs:read"), true);
  assert.equal(can("docs:a:b", "deny docs:*", "allow docs:a:*"), true);
  assert.equal(can("a:b:c", "allow a:*:c", "deny a:b:*"), false);
  assert.equal(can("a:b:c", "deny a:*:c", "allow a:b:*"), true);
});

test("deny wins among equals", () => {
  assert.equal(can("docs:read", "allow docs:read", "deny docs:read"), false);
  assert.equal(can("docs:read", "deny docs:*", "allow docs:*"), false);
});

test("whole segments", () => {
  assert.equal(can("docsecret:read", "allow docs:*"), false);
  assert.equal(can("docs:reader", "allow docs:read"), false);
  assert.equal(can("docs:read:all", "allow docs:read"), false);
  assert.equal(can("docs", "allow docs:*"), false);
  assert.equal(can("a.c", "allow a*c"), false);
});

test("stars", () => {
  assert.equal(can("docs:a:b:c", "allow docs:*"), true);
  assert.equal(can("docs:a:read", "allow docs:*:read"), true);
  assert.equal(can("docs:a:b:read", "allow docs:*:read"), false);
  assert.equal(can("anything:at:all", "allow *"), true);
});

test("all roles count alike", () => {
  const access = new Access({ admin: { rules: ["allow *"] }, guest: { rules: ["deny *"] }, clerk: { rules: ["deny docs:delete"] } });
  assert.equal(access.can({ roles: ["admin", "clerk"] }, "docs:delete"), false);
  assert.equal(access.can({ roles: ["clerk", "admin"] }, "docs:read"), true);
  assert.equal(access.can({ roles: ["admin", "guest"] }, "x"), false);
  assert.equal(access.can({ roles: [] }, "x"), false);
});

test("inherited rules, and cycles", () => {
  const access = new Access({
    a: { rules: ["allow a:x"], extends: ["b"] },
    b: { rules: ["allow b:x"], extends: ["c"] },
    c: { rules: ["deny a:x"], extends: ["a"] },
  });
  assert.equal(access.can({ roles: ["a"] }, "b:x"), true);
  assert.equal(access.can({ roles: ["a"] }, "a:x"), false);
  assert.equal(access.can({ roles: ["c"] }, "b:x"), true);
});

test("an unknown role is named", () => {
  assert.throws(() => new Access({}).can({ roles: ["ghost"] }, "x"), /ghost/);
  assert.throws(() => new Access({}).can({ roles: ["toString"] }, "x"), /toString/);
  const access = new Access({ a: { rules: ["allow x"], extends: ["gone"] } });
  assert.throws(() => access.can({ roles: ["a"] }, "x"), /gone/);
});
