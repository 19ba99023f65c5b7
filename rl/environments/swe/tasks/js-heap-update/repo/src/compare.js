export const byNumber = (a, b) => a - b;
