import assert from "node:assert/strict";
import test from "node:test";
import { Machine } from "../src/machine.js";
import { orderMachine } from "../src/order.js";

function logging(hooks = {}) {
  const log = [];
  const state = (name, on) => ({
    on,
    enter: (context, machine) => {
      log.push(`+${name}`);
      hooks[`+${name}`]?.(machine);
    },
    exit: (context, machine) => {
      log.push(`-${name}`);
      hooks[`-${name}`]?.(machine);
    },
  });
  const machine = new Machine({
    initial: "a",
    states: { a: state("a", { next: "b", again: "a" }), b: state("b", { next: "c", back: "a" }), c: state("c", { next: "a" }) },
  });
  return { log, machine };
}
const fail = () => {
  throw new Error("no");
};

test("a hook that fails leaves the old state", () => {
  for (const hook of ["+b", "-a"]) {
    const { machine } = logging({ [hook]: fail });
    assert.throws(() => machine.send("next"), /no/);
    assert.equal(machine.state, "a");
  }
});

test("after a failed hook the machine goes on", () => {
  let failing = true;
  const { machine } = logging({ "+b": () => failing && fail() });
  assert.throws(() => machine.send("next"));
  failing = false;
  assert.equal(machine.send("next"), true);
  assert.equal(machine.state, "b");
});

test("events from hooks come after the outer one, in order", () => {
  const { log, machine } = logging({
    "-a": (m) => m.send("next"),
    "+b": (m) => {
      assert.equal(m.state, "b");
      m.send("next");
    },
  });
  machine.send("next");
  assert.deepEqual(log, ["-a", "+b", "-b", "+c", "-c", "+a"]);
  assert.equal(machine.state, "a");
});

test("what waited is dropped when the transition fails", () => {
  const { log, machine } = logging({
    "-a": (m) => m.send("next"),
    "+b": fail,
  });
  assert.throws(() => machine.send("next"));
  assert.equal(machine.state, "a");
  assert.deepEqual(log, ["-a", "+b"]);
});

test("can asks the guard", () => {
  assert.equal(orderMachine({ items: 0 }).can("pay"), false);
  assert.equal(orderMachine({ items: 1 }).can("pay"), true);
  assert.equal(orderMachine({ items: 1 }).can("ship"), false);
  assert.equal(orderMachine({ items: 1 }).can("toString"), false);
});

test("an unknown event is named with its state", () => {
  const order = orderMachine({ items: 1 });
  assert.throws(() => order.send("ship"), /cart.*ship|ship.*cart/);
  assert.throws(() => order.send("constructor"), /constructor/);
  assert.equal(order.state, "cart");
});

test("a transition to the same state runs its hooks", () => {
  const { log, machine } = logging();
  assert.equal(machine.send("again"), true);
  assert.deepEqual(log, ["-a", "+a"]);
});
