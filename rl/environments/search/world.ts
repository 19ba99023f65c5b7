import { pick, seededRandom } from "../random.js";

// An invented archipelago, drawn once from a fixed seed: who knows the real world has no advantage.

export interface Island {
  name: string;
  sea: string;
}
export interface Town {
  name: string;
  island: Island;
  craft: string;
  river: string;
}
export interface Person {
  name: string;
  profession: string;
  birthplace: Town;
  born: number;
  teacher: Person | null;
}
export interface Work {
  name: string;
  kind: string;
  maker: Person;
  year: number;
}
export interface Society {
  name: string;
  founder: Person;
  seat: Town;
  year: number;
}
export interface World {
  islands: Island[];
  towns: Town[];
  people: Person[];
  works: Work[];
  societies: Society[];
}

const dice = seededRandom(0x5ea5c4);
const crafts = [
  "glass",
  "rope",
  "bells",
  "pottery",
  "lace",
  "boats",
  "paper",
  "cheese",
  "lamps",
  "dyes",
  "clocks",
  "salt",
];
const professions = ["cartographer", "composer", "engineer", "botanist", "poet", "astronomer", "architect", "painter"];
const kinds = ["bridge", "ballad", "atlas", "lighthouse", "herbal", "opera", "almanac", "mural"];
const seas = ["Amber Sea", "Gull Sea", "Slate Sea", "Winter Sea"];
const things = ["Heron", "Lantern", "Harbour", "Orchard", "Tide", "Comet", "Willow", "Anchor", "Meadow", "Thistle"];
const qualities = [
  "Silent",
  "Crooked",
  "Golden",
  "Seventh",
  "Drowned",
  "Hollow",
  "Patient",
  "Scarlet",
  "Northern",
  "Idle",
];

const taken = new Set<string>();
/** Of two or three syllables, each name once. */
function name(ends: readonly string[]): string {
  const syllables = [
    "ka",
    "lo",
    "mir",
    "ven",
    "sto",
    "bel",
    "dra",
    "tu",
    "ori",
    "hal",
    "pes",
    "run",
    "ila",
    "gor",
    "wen",
    "tas",
  ];
  for (;;) {
    const made = pick(syllables, dice) + (dice() < 0.5 ? pick(syllables, dice) : "") + pick(ends, dice);
    const named = made[0]!.toUpperCase() + made.slice(1);
    if (!taken.has(named)) return taken.add(named) && named;
  }
}

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const year = (from: number, to: number) => from + Math.floor(dice() * (to - from));

function people(towns: readonly Town[]): Person[] {
  const all: Person[] = [];
  for (let i = 0; i < 60; i++) {
    const born = 1700 + 3 * i + year(0, 3);
    const elders = all.filter((other) => born - other.born > 20 && born - other.born < 60);
    all.push({
      name: `${name(["an", "a", "is", "o"])} ${name(["sen", "ford", "quist", "mar"])}`,
      profession: pick(professions, dice),
      birthplace: pick(towns, dice),
      born,
      teacher: elders.length > 0 && dice() < 0.8 ? pick(elders, dice) : null,
    });
  }
  return all;
}

function draw(): World {
  const islands = many(8, () => ({ name: name(["ey", "holm", "ara"]), sea: pick(seas, dice) }));
  const towns = many(24, (i) => ({
    name: name(["by", "wick", "port", "stad"]),
    island: islands[i % islands.length]!,
    craft: crafts[i % crafts.length]!,
    river: name(["e", "une", "ock"]),
  }));
  const all = people(towns);
  const titles = new Set<string>();
  const title = (): string => {
    for (;;) {
      const made = `The ${pick(qualities, dice)} ${pick(things, dice)}`;
      if (!titles.has(made)) return titles.add(made) && made;
    }
  };
  const works = many(60, () => {
    const maker = pick(all, dice);
    return { name: title(), kind: pick(kinds, dice), maker, year: maker.born + year(22, 50) };
  });
  const societies = many(16, (i) => {
    const [founder, seat] = [pick(all, dice), pick(towns, dice)];
    const named = `${seat.name} ${["Academy", "Guild", "Circle"][i % 3]} of ${name(["ics", "istry"])}`;
    return { name: named, founder, seat, year: founder.born + year(30, 60) };
  });
  return { islands, towns, people: all, works, societies };
}

export const world: World = draw();
