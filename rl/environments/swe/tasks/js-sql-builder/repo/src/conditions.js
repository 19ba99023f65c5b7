/** Conditions: an object is column -> value; and/or take several. */
export const and = (...parts) => ({ op: "AND", parts });
export const or = (...parts) => ({ op: "OR", parts });

export function toSql(condition, params) {
  if (condition.op) return condition.parts.map((part) => toSql(part, params)).join(` ${condition.op} `);
  if (condition.sql) return condition.sql;
  condition.sql = Object.entries(condition)
    .map(([name, value]) => `${name} = $${params.push(value)}`)
    .join(" AND ");
  return condition.sql;
}
