export const decode = (chunk) => Buffer.from(chunk).toString("utf8");
