import assert from "node:assert/strict";
import test from "node:test";
import { Access } from "../src/access.js";

test("a rule allows", () => {
  const access = new Access({ reader: { rules: ["allow docs:read"] } });
  assert.equal(access.can({ roles: ["reader"] }, "docs:read"), true);
  assert.equal(access.can({ roles: ["reader"] }, "docs:write"), false);
});
