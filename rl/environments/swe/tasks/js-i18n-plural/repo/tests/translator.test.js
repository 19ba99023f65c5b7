import assert from "node:assert/strict";
import test from "node:test";
import { translator } from "../src/translator.js";

test("texts with values", () => {
  const t = translator({ en: { hello: "Hello {name}", apples: { one: "one apple", other: "{count} apples" } } }, "en");
  assert.equal(t("hello", { name: "Ann" }), "Hello Ann");
  assert.equal(t("apples", { count: 2 }), "2 apples");
});
