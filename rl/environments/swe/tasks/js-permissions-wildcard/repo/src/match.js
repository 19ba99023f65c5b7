/** Whether a pattern covers a permission. */
export const matches = (pattern, permission) => permission.startsWith(pattern.replace(":*", "").replace("*", ""));
