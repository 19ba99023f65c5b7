import type { Database, Sqlite3Static } from "@sqlite.org/sqlite-wasm";
import { ToolError } from "../tools.js";

export type Value = string | number | null;

export interface Rows {
  columns: string[];
  rows: Value[][];
  /** There were more. */
  cut: boolean;
}

export interface QueryLimits {
  rows: number;
  /** Instructions of SQLite's virtual machine: a limit of time that is the same on every machine. */
  steps: number;
}

const stepsBetween = 1_000;
/** Of a value. */
const mostBytes = 1_000_000;

let loading: Promise<Sqlite3Static> | undefined;
const load = () => {
  loading ??= import("@sqlite.org/sqlite-wasm").then(async ({ default: init }) => {
    const sqlite = await init();
    // It warns on the console of each statement that fails, which is thrown as well.
    (sqlite as unknown as { config: { warn(): void } }).config.warn = () => {};
    return sqlite;
  });
  return loading;
};

/** A database in memory, of a script of statements, that is read and never changed. */
export class ReadOnlyDatabase implements Disposable {
  readonly #sqlite: Sqlite3Static;
  readonly #db: Database;

  private constructor(sqlite: Sqlite3Static, script: string) {
    this.#sqlite = sqlite;
    this.#db = new sqlite.oo1.DB(":memory:", "c");
    this.#db.exec(script);
    sqlite.capi.sqlite3_limit(this.#db, sqlite.capi.SQLITE_LIMIT_LENGTH, mostBytes);
  }

  static async open(script: string): Promise<ReadOnlyDatabase> {
    return new ReadOnlyDatabase(await load(), script);
  }

  /**
   * The rows of one SELECT.
   * @throws ToolError where it is none, SQLite refuses it, or it takes too long
   */
  query(sql: string, limits: QueryLimits): Rows {
    const { capi } = this.#sqlite;
    let steps = 0;
    const over = () => {
      steps += stepsBetween;
      return Number(steps > limits.steps);
    };
    capi.sqlite3_progress_handler(this.#db, stepsBetween, over, 0);
    try {
      return this.#select(sql, limits.rows);
    } catch (caught) {
      if (steps > limits.steps) throw new ToolError("the query takes too long");
      if (caught instanceof this.#sqlite.SQLite3Error) throw new ToolError(capi.sqlite3_errmsg(this.#db));
      throw caught;
    } finally {
      capi.sqlite3_progress_handler(this.#db, 0, 0, 0);
    }
  }

  #select(sql: string, most: number): Rows {
    if (!/^\s*(select|with|values)\b/i.test(sql)) throw new ToolError("only a SELECT can be run");
    const statement = this.#db.prepare(sql);
    try {
      if (!this.#sqlite.capi.sqlite3_stmt_readonly(statement)) throw new ToolError("only a SELECT can be run");
      const found: Rows = { columns: statement.getColumnNames([]), rows: [], cut: false };
      while (statement.step()) {
        found.cut = found.rows.length === most;
        if (found.cut) break;
        found.rows.push(statement.get([]).map(plain));
      }
      return found;
    } finally {
      statement.finalize();
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Numbers beyond 2^53 lose digits, blobs are told by their length. */
function plain(value: unknown): Value {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return value as Value;
}
