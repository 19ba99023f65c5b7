// Runs one file of tests on node:test and says what came of each, in lines that begin with a nonce. The code under test
// runs in this very process: what it could use to forge a line or to bend an assertion is taken away before it is loaded.
// stdin: { nonce, file }. Started as `node --test-reporter=THIS THIS` in the repository.
import assert from "node:assert";
import { readFileSync, writeSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import test from "node:test";
import { pathToFileURL } from "node:url";

const { nonce, file } = JSON.parse(readFileSync(0, "utf8"));
const { stringify } = JSON;
const { equal } = assert.strict;
const say = (what) => writeSync(1, `\n${nonce} ${stringify(what)}\n`);

const names = [];

/** In node's order: a test starts, then its own tests, then it passes or fails. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === "test:start") names[data.nesting] = data.name;
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const name = [...names.slice(0, data.nesting), data.name].join(" > ");
    const status = data.skip !== undefined ? "SKIPPED" : type === "test:pass" ? "PASSED" : "FAILED";
    say({
      name,
      status,
      why: status === "FAILED" ? String(data.details.error?.cause?.message ?? "").slice(0, 500) : "",
    });
  }
  say({ end: true });
  yield "";
}

function lock() {
  for (const each of [assert, assert.strict, assert.AssertionError.prototype, test]) Object.freeze(each);
  const refuse = (name) => () => {
    throw new Error(`${name} is not for code under test`);
  };
  for (const name of ["exit", "reallyExit", "abort", "kill", "binding", "_linkedBinding", "dlopen"])
    Object.defineProperty(process, name, { value: refuse(`process.${name}`), writable: false, configurable: false });
  const require = createRequire(import.meta.url);
  for (const name of ["inspector", "v8", "repl"]) {
    const module = require(`node:${name}`);
    for (const key of Object.keys(module)) {
      try {
        Object.defineProperty(module, key, { value: refuse(name), writable: false, configurable: false });
      } catch {} // fixed already
    }
  }
  syncBuiltinESMExports();
}

lock();
say({ ready: true });
try {
  await import(pathToFileURL(`${process.cwd()}/${file}`).href);
} catch (error) {
  say({ load: String(error?.message ?? error).slice(0, 500) });
}
// Must fail: when it does not, someone has bent the means to tell.
test(`canary ${nonce}`, () => equal(1, 2));
