export const clone = (value) => value;
