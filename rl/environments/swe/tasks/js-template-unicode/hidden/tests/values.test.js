import assert from "node:assert/strict";
import test from "node:test";
import { render } from "../src/render.js";

test("all that HTML minds is escaped, once", () => {
  assert.equal(render("{{a}}", { a: `Tom & "Jerry" <'s>` }), "Tom &amp; &quot;Jerry&quot; &lt;&#39;s&gt;");
  assert.equal(render("{{a}}", { a: "&lt;" }), "&amp;lt;");
});

test("dollars are dollars", () => {
  assert.equal(render("{{a}}|{{{a}}}", { a: "$& $1 $$ $`" }), "$&amp; $1 $$ $`|$& $1 $$ $`");
});

test("paths, blanks and missing values", () => {
  assert.equal(render("{{ user.name }}{{user.age.x}}{{nobody.name}}{{n}}", { user: { name: "Ann" }, n: null }), "Ann");
  assert.equal(render("{{list.1}}", { list: ["a", "b"] }), "b");
  assert.equal(render("{{a}}{{b}}", { a: false, b: 0 }), "false0");
});

test("what every object inherits is no value", () => {
  assert.equal(render("[{{constructor}}{{a.toString}}]", { a: {} }), "[]");
});

test("values are not expanded", () => {
  assert.equal(render("{{a}} {{b}}", { a: "{{b}}", b: "{{a}}" }), "{{b}} {{a}}");
  assert.equal(render("{{{a}}}", { a: "{{{a}}}" }), "{{{a}}}");
});

test("three braces insert the value as it is", () => {
  assert.equal(render("<p>{{{ html }}}</p>", { html: "<b>&</b>" }), "<p><b>&</b></p>");
});
