import type { Random } from "../environment.js";
import { pick } from "../random.js";

export interface ArithmeticTask {
  question: string;
  answer: number;
}

const people = ["Ana", "Ben", "Chen", "Dora", "Emil", "Fay", "Gita", "Hugo", "Ines", "Juri"];
const goods = ["apples", "books", "candles", "lamps", "marbles", "pencils", "stamps", "tiles"];

type Story = (who: string, what: string, n: (low: number, high: number) => number) => ArithmeticTask;

/** Two to four steps each; every answer is a whole number that is not negative. */
const stories: readonly Story[] = [
  (who, what, n) => {
    const [boxes, each, given] = [n(3, 30), n(4, 40), n(2, 11)];
    return {
      question: `${who} has ${boxes} boxes with ${each} ${what} each and gives away ${given} ${what}. How many ${what} are left?`,
      answer: boxes * each - given,
    };
  },
  (who, what, n) => {
    const [friends, share, kept] = [n(2, 12), n(3, 40), n(1, 25)];
    return {
      question: `${who} has ${friends * share + kept} ${what}, keeps ${kept} and shares the rest equally among ${friends} friends. How many ${what} does each friend get?`,
      answer: share,
    };
  },
  (who, what, n) => {
    const [price, count, fare, coupon] = [n(2, 25), n(3, 30), n(2, 15), n(1, 6)];
    return {
      question: `${who} buys ${count} ${what} at ${price} dollars each, pays ${fare} dollars for the bus and uses a coupon worth ${coupon} dollars. How many dollars does ${who} spend?`,
      answer: price * count + fare - coupon,
    };
  },
  (who, what, n) => {
    const [first, rise, later] = [n(5, 60), n(2, 20), n(2, 9)];
    return {
      question: `${who} makes ${first} ${what} on the first day and ${rise} more on the second. On the third day ${who} makes ${later} times as many as on the second. How many ${what} are that in the three days?`,
      answer: first + (first + rise) * (1 + later),
    };
  },
];

export function drawProblem(dice: Random): ArithmeticTask {
  const n = (low: number, high: number) => low + Math.floor(dice() * (high - low + 1));
  return pick(stories, dice)(pick(people, dice), pick(goods, dice), n);
}

/** The expression that each story asks for, from its numbers in the order of the text. */
export const plans: readonly [sign: RegExp, plan: (n: string[]) => string][] = [
  [/gives away/, ([boxes, each, given]) => `${boxes} * ${each} - ${given}`],
  [/shares the rest/, ([all, kept, friends]) => `(${all} - ${kept}) / ${friends}`],
  [/uses a coupon/, ([count, price, fare, coupon]) => `${count} * ${price} + ${fare} - ${coupon}`],
  [/on the first day/, ([first, rise, later]) => `${first} + (${first} + ${rise}) * (1 + ${later})`],
];
