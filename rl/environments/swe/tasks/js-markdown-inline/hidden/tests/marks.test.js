import assert from "node:assert/strict";
import test from "node:test";
import { inline } from "../src/inline.js";

const all = (cases) => {
  for (const [text, html] of Object.entries(cases)) assert.equal(inline(text), html, text);
};

test("underscores and stars", () => {
  all({
    a_b_c: "a_b_c",
    "_a_ b_c _d e_": "<em>a</em> b_c <em>d e</em>",
    "a*b*c": "a<em>b</em>c",
    "_a*": "_a*",
    "__a__": "<strong>a</strong>",
    "snake_case_ and _x": "snake_case_ and _x",
  });
});

test("what is no emphasis", () => {
  all({ "2 * 3 * 4": "2 * 3 * 4", "*a": "*a", "a**b": "a**b", "* a*": "* a*", "**": "**", "****": "****", "*a *": "*a *" });
});

test("nesting", () => {
  all({
    "**bold *both***": "<strong>bold <em>both</em></strong>",
    "*a **b** c*": "<em>a <strong>b</strong> c</em>",
    "***x***": "<strong><em>x</em></strong>",
    "**a _b_ c**": "<strong>a <em>b</em> c</strong>",
  });
});

test("code is code", () => {
  all({
    "`a *b* <c>`": "<code>a *b* &lt;c&gt;</code>",
    "`` a`b ``": "<code>a`b</code>",
    "*a `b*`*": "<em>a <code>b*</code></em>",
    "`a": "`a",
    "`\\`": "<code>\\</code>",
    "` a `": "<code> a </code>",
  });
});

test("escapes", () => {
  all({ "\\*a\\*": "*a*", "\\\\ \\a \\_x_": "\\ \\a _x_", "a & b < c > \"d\"": "a &amp; b &lt; c &gt; &quot;d&quot;", "\\[a](b)": "[a](b)", "&amp;": "&amp;amp;" });
});

test("links", () => {
  all({
    "[a *b*](http://x/?a=1&b=2)": '<a href="http://x/?a=1&amp;b=2">a <em>b</em></a>',
    "[a](/b_c_d)": '<a href="/b_c_d">a</a>',
    "[m](mailto:a@b.c) [r](r.html#x:y)": '<a href="mailto:a@b.c">m</a> <a href="r.html#x:y">r</a>',
    "[x](javascript:alert)": "[x](javascript:alert)",
    "[x](JaVa:1) [y](data:1)": "[x](JaVa:1) [y](data:1)",
    '[q](http://x"y)': '<a href="http://x&quot;y">q</a>',
    "[a] (b)": "[a] (b)",
    "*[a](b*c)*": '<em><a href="b*c">a</a></em>',
  });
});
