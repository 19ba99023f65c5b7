export const characters = (text) => text.split("");
