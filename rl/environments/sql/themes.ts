import type { Random } from "../environment.js";
import { pick, seededRandom } from "../random.js";

/** A kind of database, and what can be asked of it. */
export interface Theme {
  schema: string;
  rows(dice: Random): Record<string, (string | number | null)[][]>;
  asks: readonly Ask[];
}

export interface Ask {
  question(dice: Random): string;
  /** Reads the question; its groups are the arguments of `sql`. */
  sign: RegExp;
  sql(...groups: string[]): string;
}

const towns = ["Arden", "Brook", "Calder", "Dunmore", "Elland"];
const names = ["Ada", "Bo", "Cleo", "Dev", "Eli", "Fern", "Gus", "Hana", "Ivo", "Jun", "Kit", "Lea", "Max", "Nell"];
const goods = ["kettle", "ladder", "lamp", "rug", "saw", "stool", "tent", "vase"];
const genres = ["poetry", "travel", "crime", "history"];
const titles = [
  "Dust",
  "Echo",
  "Ferns",
  "Glass",
  "Harvest",
  "Iron",
  "Juniper",
  "Kites",
  "Ledger",
  "Moss",
  "Nettle",
  "Oak",
];
const whole = (dice: Random, low: number, high: number) => low + Math.floor(dice() * (high - low + 1));
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const date = (dice: Random) =>
  `2024-${String(whole(dice, 1, 12)).padStart(2, "0")}-${String(whole(dice, 1, 28)).padStart(2, "0")}`;

const shop: Theme = {
  schema: `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, product_id INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, day TEXT NOT NULL);`,
  rows: (dice) => ({
    customers: many(12, (i) => [i + 1, names[i]!, pick(towns, dice)]),
    products: many(goods.length, (i) => [i + 1, goods[i]!, whole(dice, 5, 90)]),
    orders: many(60, (i) => [i + 1, whole(dice, 1, 11), whole(dice, 1, 7), whole(dice, 1, 5), date(dice)]),
  }),
  asks: [
    {
      question: (dice) => `How many customers live in ${pick(towns, dice)}?`,
      sign: /How many customers live in (\w+)\?/,
      sql: (town) => `SELECT count(*) FROM customers WHERE town = '${town}'`,
    },
    {
      question: (dice) => `Which products cost more than ${whole(dice, 30, 60)}? Their names, by price, dearest first.`,
      sign: /Which products cost more than (\d+)\?/,
      sql: (price) => `SELECT name FROM products WHERE price > ${price} ORDER BY price DESC, name`,
    },
    {
      question: (dice) => `How much money was spent on orders of the ${pick(goods.slice(0, 7), dice)}?`,
      sign: /How much money was spent on orders of the (\w+)\?/,
      sql: (name) =>
        `SELECT coalesce(sum(o.quantity * p.price), 0) FROM orders o JOIN products p ON p.id = o.product_id WHERE p.name = '${name}'`,
    },
    {
      question: () => "Which customers never ordered anything? Their names.",
      sign: /Which customers never ordered anything\?/,
      sql: () => "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    },
    {
      question: (dice) =>
        `For each town, how many orders have a quantity of at least ${whole(dice, 2, 4)}? Town and number, towns without any left out.`,
      sign: /For each town, how many orders have a quantity of at least (\d+)\?/,
      sql: (least) =>
        `SELECT c.town, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.quantity >= ${least} GROUP BY c.town`,
    },
    {
      question: (dice) =>
        `Which ${whole(dice, 2, 4)} customers spent most? Names and sums, highest first, then by name.`,
      sign: /Which (\d+) customers spent most\?/,
      sql: (n) =>
        `SELECT c.name, sum(o.quantity * p.price) AS spent FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id GROUP BY c.id ORDER BY spent DESC, c.name LIMIT ${n}`,
    },
  ],
};

const library: Theme = {
  schema: `CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, genre TEXT NOT NULL, year INTEGER NOT NULL);
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL, joined TEXT NOT NULL);
CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER NOT NULL REFERENCES books, member_id INTEGER NOT NULL REFERENCES members, lent TEXT NOT NULL, returned TEXT);`,
  rows: (dice) => ({
    books: many(titles.length, (i) => [i + 1, titles[i]!, pick(genres, dice), whole(dice, 1950, 2023)]),
    members: many(10, (i) => [i + 1, names[i]!, date(dice)]),
    loans: many(50, (i) => [
      i + 1,
      whole(dice, 1, 11),
      whole(dice, 1, 9),
      date(dice),
      dice() < 0.7 ? date(dice) : null,
    ]),
  }),
  asks: [
    {
      question: (dice) => `How many ${pick(genres, dice)} books are there?`,
      sign: /How many (\w+) books are there\?/,
      sql: (genre) => `SELECT count(*) FROM books WHERE genre = '${genre}'`,
    },
    {
      question: (dice) => `How many loans of ${pick(names.slice(0, 9), dice)} were never returned?`,
      sign: /How many loans of (\w+) were never returned\?/,
      sql: (name) =>
        `SELECT count(*) FROM loans l JOIN members m ON m.id = l.member_id WHERE m.name = '${name}' AND l.returned IS NULL`,
    },
    {
      question: () => "Which books were never lent? Their titles.",
      sign: /Which books were never lent\?/,
      sql: () => "SELECT title FROM books WHERE id NOT IN (SELECT book_id FROM loans)",
    },
    {
      question: (dice) =>
        `Which books are older than ${whole(dice, 1970, 2005)}? Title and year, oldest first, then by title.`,
      sign: /Which books are older than (\d+)\?/,
      sql: (year) => `SELECT title, year FROM books WHERE year < ${year} ORDER BY year, title`,
    },
    {
      question: (dice) =>
        `Which members borrowed at least ${whole(dice, 2, 3)} different ${pick(genres, dice)} books? Their names.`,
      sign: /Which members borrowed at least (\d+) different (\w+) books\?/,
      sql: (n, genre) =>
        `SELECT m.name FROM loans l JOIN members m ON m.id = l.member_id JOIN books b ON b.id = l.book_id WHERE b.genre = '${genre}' GROUP BY m.id HAVING count(DISTINCT b.id) >= ${n}`,
    },
    {
      question: () => "How often was each genre lent? Genre and number, most often first, then by genre.",
      sign: /How often was each genre lent\?/,
      sql: () =>
        "SELECT b.genre, count(*) AS n FROM loans l JOIN books b ON b.id = l.book_id GROUP BY b.genre ORDER BY n DESC, b.genre",
    },
  ],
};

export const themes = { shop, library };
export type ThemeName = keyof typeof themes;

/** The statements that make a database. */
export function scriptOf(name: ThemeName, seed: number): string {
  const { schema, rows } = themes[name];
  const told = (value: string | number | null) => (typeof value === "string" ? `'${value}'` : String(value));
  const inserts = Object.entries(rows(seededRandom(2, seed))).map(
    ([table, all]) => `INSERT INTO ${table} VALUES ${all.map((row) => `(${row.map(told).join(", ")})`).join(", ")};`,
  );
  return [schema, ...inserts].join("\n");
}
