import { isMain, join } from "actors";
import { type ConfigInput, defineEnvironment, type TrainResult, train } from "actors/rl";

const colours = ["red", "green", "blue", "white"];
const digits = [..."0123456789"];
const words = ["<eos>", "what", "is", "in", "?", "look", "say", "no", ...colours, ...digits];

interface Task {
  asked: string;
  boxes: Record<string, string>;
}

/** Boxes are files in the sandbox. The agent must look into the one it is asked about, then say what it holds. */
export const boxes = defineEnvironment<Task>(import.meta.url, {
  name: "boxes",
  maxTurns: 2,
  maxActionTokens: 3,
  tokenizer: {
    vocabSize: words.length,
    eos: 0,
    encode: (text) => Int32Array.from(text.split(" ").filter(Boolean), (word) => words.indexOf(word)),
    decode: (ids) =>
      Array.from(
        ids.filter((id) => id !== 0),
        (id) => words[id],
      ).join(" "),
  },

  create() {
    let task: Task;
    return {
      async reset(next, { sandbox, signal }) {
        task = next;
        const files = Object.entries(task.boxes).map(([path, held]) => ({ path, content: Buffer.from(held) }));
        await sandbox.run([{ reset: { files } }], { signal });
        return `what is in ${task.asked} ?`;
      },
      async step(action, { sandbox, signal }) {
        const [tool, word = "red"] = action.split(" ");
        if (tool === "look" && colours.includes(word)) {
          const [file] = await sandbox.run([{ read: word }], { signal });
          return {
            observation: new TextDecoder().decode(file!.data),
            reward: 0,
            terminated: false,
            truncated: false,
            info: {},
          };
        }
        const reward = Number(tool === "say" && word === task.boxes[task.asked]);
        return { observation: "", reward, terminated: true, truncated: false, info: {} };
      },
      async close() {},
    };
  },

  // The digits tell the two kinds apart: the sum of a held-out task's boxes is a multiple of five, no train task's is.
  trainTask: (seed, index) => draw(seed * 7919 + index, (sum) => sum % 5 !== 0),
  heldOutTasks: () => Array.from({ length: 50 }, (_, i) => draw(i, (sum) => sum % 5 === 0)),

  /** Knows the commands, but looks anywhere and says any digit. */
  demonstration(task, random) {
    const any = (from: string[]) => from[Math.floor(random() * from.length)]!;
    const colour = any(colours);
    const turns = [
      { action: `look ${colour}`, observation: task.boxes[colour]! },
      { action: `say ${random() < 0.5 ? task.boxes[colour] : any(digits)}`, observation: "" },
    ];
    return { prompt: `what is in ${task.asked} ?`, turns };
  },
});

function draw(seed: number, wanted: (sum: number) => boolean): Task {
  for (let n = seed * 1000 + 1; ; n++) {
    const number = Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0;
    const held = colours.map((_, i) => digits[Math.floor(number / 13 ** i) % 10]!);
    if (!wanted(held.reduce((sum, digit) => sum + Number(digit), 0))) continue;
    return { asked: colours[(number >>> 8) % 4]!, boxes: Object.fromEntries(colours.map((c, i) => [c, held[i]!])) };
  }
}

export const settings: ConfigInput = {
  environment: { env_class: `${import.meta.url}#boxes`, sandboxes: 16 },
  trainer: {
    max_training_steps: 25,
    train_batch_size: 16,
    policy_mini_batch_size: 8,
    policy: { model: { max_seq_len: 32 }, optimizer_config: { lr: 2e-3 } },
    warm_start: { steps: 100 },
  },
};

export async function trainOnBoxes(config: ConfigInput, runsDir?: string): Promise<TrainResult> {
  await using system = await join();
  const line = (text: string) => console.log(text);
  return await train({ system, config, name: "boxes", line, ...(runsDir && { runsDir }) });
}

if (isMain(import.meta)) await trainOnBoxes(settings);
