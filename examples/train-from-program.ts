import { isMain, join } from "actors";
import { type ConfigInput, mergeConfig, quickstartSettings, type TrainResult, train } from "actors/rl";

/** The training of `actors up`, from a program: the same settings, the same run folder. */
export async function trainFromProgram(overrides: ConfigInput, runsDir?: string): Promise<TrainResult> {
  await using system = await join(); // the cluster of `actors up --idle`, else one inside this process
  return await train({
    system,
    config: mergeConfig(quickstartSettings, overrides),
    name: "from-program",
    ...(runsDir && { runsDir }),
    line: (text) => console.log(text),
    onStep: ({ step, success, tokensPerSecond }) =>
      console.log(`step ${step}: success ${success.toFixed(3)}, ${Math.round(tokensPerSecond)} tokens/s`),
  });
}

if (isMain(import.meta)) {
  const { heldOut, checkpoint } = await trainFromProgram({
    trainer: { seed: 1, algorithm: { entropy_loss_coef: 0.005 } },
  });
  console.log(`held-out success ${heldOut.before} before, ${heldOut.after} after; the model is in ${checkpoint}`);
}
