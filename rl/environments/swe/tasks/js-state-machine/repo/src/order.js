import { Machine } from "./machine.js";

export const orderMachine = (context) =>
  new Machine(
    {
      initial: "cart",
      states: {
        cart: { on: { pay: { target: "paid", guard: ({ items }) => items > 0 } } },
        paid: { on: { ship: "shipped", refund: "cart" } },
        shipped: {},
      },
    },
    context,
  );
