const pattern = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

export function parse(text) {
  const found = pattern.exec(text.trim());
  if (!found) throw new TypeError(`${text} is no version`);
  const [, major, minor, patch, pre = "", build = ""] = found;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), pre, build };
}
