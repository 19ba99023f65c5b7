export const escape = (text) => text.replace(/</g, "&lt;").replace(/>/g, "&gt;");
