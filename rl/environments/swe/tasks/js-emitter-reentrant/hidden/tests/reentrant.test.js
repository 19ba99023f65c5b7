import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../src/emitter.js";

test("all once listeners are called, and once", () => {
  const heard = [];
  const emitter = new Emitter();
  for (const name of ["a", "b", "c"]) emitter.once("x", () => heard.push(name));
  assert.equal(emitter.emit("x"), true);
  assert.equal(emitter.emit("x"), false);
  assert.deepEqual(heard, ["a", "b", "c"]);
});

test("a listener that removes itself hides nobody", () => {
  const heard = [];
  const emitter = new Emitter();
  const self = () => {
    heard.push("self");
    emitter.off("x", self);
  };
  emitter.on("x", self).on("x", () => heard.push("next"));
  emitter.emit("x");
  assert.deepEqual(heard, ["self", "next"]);
});

test("one that was removed before its turn is not called", () => {
  const heard = [];
  const emitter = new Emitter();
  const late = () => heard.push("late");
  emitter.on("x", () => emitter.off("x", late)).on("x", late).on("x", () => heard.push("last"));
  emitter.emit("x");
  assert.deepEqual(heard, ["last"]);
});

test("one added meanwhile waits for the next emit", () => {
  const heard = [];
  const emitter = new Emitter();
  emitter.once("x", () => emitter.on("x", () => heard.push("new")));
  emitter.emit("x");
  assert.deepEqual(heard, []);
  emitter.emit("x");
  assert.deepEqual(heard, ["new"]);
});

test("a once listener can be taken off by its own function", () => {
  const emitter = new Emitter();
  const never = () => assert.fail("called");
  emitter.once("x", never).off("x", never);
  assert.equal(emitter.count("x"), 0);
  assert.equal(emitter.emit("x"), false);
});

test("a once listener does not hear an emit from within itself", () => {
  const emitter = new Emitter();
  let calls = 0;
  emitter.once("x", () => {
    calls++;
    emitter.emit("x");
  });
  emitter.emit("x");
  assert.equal(calls, 1);
});
