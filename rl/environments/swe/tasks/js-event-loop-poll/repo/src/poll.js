import { systemClock } from "./clock.js";

export function poll(fetchOnce, { everyMs, onValue, onError = () => {}, clock = systemClock }) {
  let stopped = false;
  const tick = async () => {
    if (stopped) return;
    clock.setTimeout(tick, everyMs);
    onValue(await fetchOnce());
  };
  tick();
  return {
    stop() {
      stopped = true;
    },
    pokeNow() {
      tick();
    },
  };
}
