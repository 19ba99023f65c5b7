// Trains as its argument says, all in this process, and tells its parent how far it is: to be killed at any moment.
import { localSystem } from "../../runtime/index.js";
import { type TrainOptions, train } from "../trainer/train.js";

const options = JSON.parse(process.argv[2]!) as Omit<TrainOptions, "system">;
const tell = (text: string) => process.send?.(text);
await using system = await localSystem();
await train({
  ...options,
  system,
  line: tell,
  onPhase: (phase, done) => tell(`${phase} ${done}`),
  onStep: ({ step }) => tell(`step ${step}`),
});
