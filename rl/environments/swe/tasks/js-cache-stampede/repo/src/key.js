export const keyOf = (key) => Object.values(key).join(":");
