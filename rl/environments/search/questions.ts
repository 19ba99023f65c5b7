import { hashText } from "../random.js";
import { world } from "./world.js";

export interface SearchTask {
  question: string;
  answer: string;
}

/** How an answer is reached: what each article on the way is read for, the first named by the question. */
export type Hop = "maker" | "teacher" | "birthplace" | "island" | "founder" | "seat" | "craft" | "sea" | "river";

interface Kind {
  /** The name in the question is the one group. */
  sign: RegExp;
  hops: readonly Hop[];
}

export const kinds: readonly Kind[] = [
  { sign: /^In which town was the maker of (.+) born\?$/, hops: ["maker", "birthplace"] },
  { sign: /^On which island was the maker of (.+) born\?$/, hops: ["maker", "birthplace", "island"] },
  { sign: /^Who taught the maker of (.+)\?$/, hops: ["maker", "teacher"] },
  { sign: /^In which town was the teacher of (.+) born\?$/, hops: ["teacher", "birthplace"] },
  { sign: /^What is the birthplace of (.+) known for\?$/, hops: ["birthplace", "craft"] },
  { sign: /^On which river lies the town where the (.+) meets\?$/, hops: ["seat", "river"] },
  { sign: /^In which sea lies the island where the (.+) meets\?$/, hops: ["seat", "island", "sea"] },
  { sign: /^Who taught the founder of the (.+)\?$/, hops: ["founder", "teacher"] },
];

/** Those that have an answer, each once. */
function all(): SearchTask[] {
  const ask = (kind: number, name: string, answer: string | undefined) => {
    const question = kinds[kind]!.sign.source.slice(1, -1).replace("(.+)", name).replace("\\?", "?");
    return answer === undefined ? [] : [{ question, answer }];
  };
  return [
    ...world.works.flatMap(({ name, maker }) => [
      ...ask(0, name, maker.birthplace.name),
      ...ask(1, name, maker.birthplace.island.name),
      ...ask(2, name, maker.teacher?.name),
    ]),
    ...world.people.flatMap(({ name, teacher, birthplace }) => [
      ...ask(3, name, teacher?.birthplace.name),
      ...ask(4, name, birthplace.craft),
    ]),
    ...world.societies.flatMap(({ name, founder, seat }) => [
      ...ask(5, name, seat.river),
      ...ask(6, name, seat.island.sea),
      ...ask(7, name, founder.teacher?.name),
    ]),
  ];
}

const questions = all();
/** One question in five is held out. */
const isHeldOut = ({ question }: SearchTask) => hashText(question) % 5 === 0;
export const trained = questions.filter((task) => !isHeldOut(task));
export const heldOut = questions.filter(isHeldOut);
