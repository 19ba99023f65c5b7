import { world } from "./world.js";

/** An article. Its title says what it is about, as a question names it. */
export interface Article {
  id: string;
  title: string;
  text: string;
}

const article = (of: string, sentences: readonly (string | false)[], index: number, title: string): Article => ({
  id: `${of}${index + 1}`,
  title,
  text: sentences.filter(Boolean).join(" "),
});

/** Each fact stands in one article. */
export const corpus: readonly Article[] = [
  ...world.islands.map(({ name, sea }, i) =>
    article("i", [`${name} is an island in the ${sea}.`, "Ferries call on most days, weather permitting."], i, name),
  ),
  ...world.towns.map(({ name, island, craft, river }, i) =>
    article(
      "t",
      [`${name} is a town on ${island.name}.`, `It lies on the river ${river} and is known for its ${craft}.`],
      i,
      name,
    ),
  ),
  ...world.people.map(({ name, profession, birthplace, born, teacher }, i) => {
    const [given] = name.split(" ");
    const taught = teacher !== null && `${given} was a pupil of ${teacher.name}.`;
    return article("p", [`${name} (born ${born} in ${birthplace.name}) was a ${profession}.`, taught], i, name);
  }),
  ...world.works.map(({ name, kind, maker, year }, i) =>
    article("w", [`${name} is a ${kind} of ${year}.`, `It was made by ${maker.name}.`], i, name),
  ),
  ...world.societies.map(({ name, founder, seat, year }, i) =>
    article(
      "s",
      [`The ${name} is a learned society.`, `${founder.name} founded it in ${year}.`, `It meets in ${seat.name}.`],
      i,
      name,
    ),
  ),
];
