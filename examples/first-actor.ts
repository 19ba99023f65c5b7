import { defineActor, isMain, join } from "actors";

class Counter {
  #total = 0;
  add(n: number) {
    this.#total += n;
    return this.#total;
  }
  async *countTo(n: number) {
    for (let i = 1; i <= n; i++) yield i;
  }
}
export const counter = defineActor({ name: "counter", module: import.meta.url, class: Counter });

if (isMain(import.meta)) {
  await using system = await join(); // the cluster that runs here, else one inside this process
  const one = await system.spawn(counter);
  console.log(await one.add(2), await one.add(3)); // 2 5
  for await (const i of one.countTo(3)) console.log(i); // 1 2 3
  const four = await system.spawnGroup(counter, 4, { hosting: "thread" });
  console.log(await four.add.all(1)); // [ 1, 1, 1, 1 ]
}
