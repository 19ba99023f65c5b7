import assert from "node:assert/strict";
import test from "node:test";
import { orderMachine } from "../src/order.js";

test("an order is paid and shipped", () => {
  const order = orderMachine({ items: 1 });
  assert.equal(order.send("pay"), true);
  assert.equal(order.send("ship"), true);
  assert.equal(order.state, "shipped");
});

test("a guard refuses", () => {
  const order = orderMachine({ items: 0 });
  assert.equal(order.send("pay"), false);
  assert.equal(order.state, "cart");
});
