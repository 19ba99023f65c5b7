import { toSql } from "./conditions.js";

export function select(table) {
  const parts = { where: null, order: "", limit: 0 };
  const query = {
    where(condition) {
      parts.where = condition;
      return query;
    },
    orderBy(name, direction = "asc") {
      parts.order = ` ORDER BY ${name} ${direction}`;
      return query;
    },
    limit(count) {
      parts.limit = count;
      return query;
    },
    build() {
      const params = [];
      const where = parts.where ? ` WHERE ${toSql(parts.where, params)}` : "";
      const limit = parts.limit ? ` LIMIT ${parts.limit}` : "";
      return { sql: `SELECT * FROM ${table}${where}${parts.order}${limit}`, params };
    },
  };
  return query;
}
