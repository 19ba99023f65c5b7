import assert from "node:assert/strict";
import test from "node:test";
import { translator } from "../src/translator.js";

test("plurals of the language", () => {
  const t = translator({ pl: { f: { one: "{count} plik", few: "{count} pliki", many: "{count} plików", other: "{count} pliku" } } }, "pl");
  assert.deepEqual([1, 2, 5, 22, 112, 1.5].map((count) => t("f", { count })), ["1 plik", "2 pliki", "5 plików", "22 pliki", "112 plików", "1,5 pliku"]);
});

test("the plural follows the language of the text", () => {
  const t = translator({ en: { f: { one: "a file", few: "never", other: "{count} files" } } }, "pl");
  assert.deepEqual([t("f", { count: 1 }), t("f", { count: 2 })], ["a file", "2 files"]);
});

test("exact matches, missing forms", () => {
  const t = translator({ en: { f: { "=0": "nothing", "=2": "a pair", other: "{count} things" } } }, "en");
  assert.deepEqual([0, 1, 2, 3].map((count) => t("f", { count })), ["nothing", "1 things", "a pair", "3 things"]);
  assert.equal(t("f"), "{count} things");
});

test("fallbacks, key by key", () => {
  const t = translator({ en: { a: "en a", b: "en b", c: "en c" }, de: { a: "de a", b: "de b" }, "de-AT": { a: "at a", c: "" } }, "de-AT");
  assert.deepEqual([t("a"), t("b"), t("c"), t("d")], ["at a", "de b", "", "d"]);
  assert.equal(translator({ "zh-Hant": { a: "x" } }, "zh-Hant-TW")("a"), "x");
});

test("nested keys", () => {
  const t = translator({ en: { menu: { file: { open: "Open" } }, "a.b": "flat" } }, "en");
  assert.deepEqual([t("menu.file.open"), t("menu.file"), t("menu.x.y"), t("toString"), t("a.b")], ["Open", "menu.file", "menu.x.y", "toString", "flat"]);
});

test("numbers, texts, missing values, braces", () => {
  const t = translator({ de: { a: "{n} {s} {x} {{n}} {z}" } }, "de");
  assert.equal(t("a", { n: 1234567.5, s: "1234", z: null }), "1.234.567,5 1234 {x} {n} {z}");
  assert.equal(t("a", { n: 0, s: "", x: false, z: "$&" }), "0  false {n} $&");
});
