import { stack } from "./track.js";

export function signal(value) {
  const readers = new Set();
  const read = () => {
    if (stack.length > 0) readers.add(stack.at(-1));
    return value;
  };
  read.set = (next) => {
    value = next;
    for (const reader of [...readers]) reader();
  };
  return read;
}

export function computed(fn) {
  const cell = signal(undefined);
  effect(() => cell.set(fn()));
  return cell;
}

/** Runs `fn` now and whenever what it read has changed. Gives a function that ends this. */
export function effect(fn) {
  let live = true;
  const run = () => {
    if (!live) return;
    stack.push(run);
    fn();
    stack.pop();
  };
  run();
  return () => {
    live = false;
  };
}

export function batch(fn) {
  return fn();
}
