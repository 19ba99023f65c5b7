import assert from "node:assert/strict";
import test from "node:test";
import { normalize } from "../src/normalize.js";

const same = (cases) => {
  for (const [url, wanted] of Object.entries(cases)) assert.equal(normalize(url), wanted, url);
};

test("scheme, host, port and user", () => {
  same({
    "HTTP://Example.COM/Path": "http://example.com/Path",
    "http://example.com:80/": "http://example.com/",
    "https://example.com:443": "https://example.com/",
    "https://example.com:80/": "https://example.com:80/",
    "http://ann:secret@example.com/": "http://example.com/",
  });
});

test("dots and slashes", () => {
  same({
    "http://a.b/x/../y/./z": "http://a.b/y/z",
    "http://a.b": "http://a.b/",
    "http://a.b/x/": "http://a.b/x/",
    "http://a.b/x": "http://a.b/x",
    "http://a.b/x#y": "http://a.b/x",
  });
  assert.equal(normalize("../c?q#f", "http://a.b/x/y/z"), "http://a.b/x/c?q=");
});

test("percent encoding", () => {
  same({
    "http://a.b/%7euser/%2fx": "http://a.b/~user/%2Fx",
    "http://a.b/caf%c3%a9": "http://a.b/caf%C3%A9",
    "http://a.b/café": "http://a.b/caf%C3%A9",
    "http://a.b/a%2Db": "http://a.b/a-b",
    "http://a.b/50%25": "http://a.b/50%25",
  });
});

test("queries", () => {
  same({
    "http://a.b/?b=2&a=1&b=1": "http://a.b/?a=1&b=2&b=1",
    "http://a.b/?utm_source=x&utm_medium=y&fbclid=1&gclid=2": "http://a.b/",
    "http://a.b/?q=a+b&r=%7E": "http://a.b/?q=a%20b&r=~",
    "http://a.b/?q=a%2bb%26c": "http://a.b/?q=a%2Bb%26c",
    "http://a.b/?": "http://a.b/",
    "http://a.b/?x=Y": "http://a.b/?x=Y",
    "http://a.b/?my_utm_x=1": "http://a.b/?my_utm_x=1",
    "http://a.b/?q=caf%C3%A9": "http://a.b/?q=caf%C3%A9",
    "http://a.b/?f=(1)*'!": "http://a.b/?f=%281%29%2A%27%21",
  });
});

test("what is no page", () => {
  for (const url of ["mailto:a@b.c", "javascript:1", "/relative", "http://", "", "ftp://a.b/"]) assert.equal(normalize(url), null, url);
});
