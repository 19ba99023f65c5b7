/** Runs async jobs, at most `max` at once, in the order they came. */
export function limit(max) {
  let running = 0;
  const waiting = [];
  return async (job) => {
    if (running >= max) await new Promise((resolve) => waiting.push(resolve));
    running++;
    const result = await job();
    running--;
    waiting.shift()?.();
    return result;
  };
}
