export const positive = (value, fallback) => Number(value) || fallback;
