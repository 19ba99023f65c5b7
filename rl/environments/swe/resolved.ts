export type TestStatus = "PASSED" | "FAILED" | "SKIPPED" | "ERROR" | "XFAIL";

export interface Resolution {
  /** All of FAIL_TO_PASS and of PASS_TO_PASS pass. */
  resolved: boolean;
  /** How many of each do. */
  failToPass: number;
  passToPass: number;
}

export interface Expected {
  FAIL_TO_PASS: readonly string[];
  PASS_TO_PASS: readonly string[];
}

/**
 * SWE-bench's rule. A test that was not reported has failed. A skipped one has failed where it had to begin to pass, and is
 * no regression where it passed before.
 */
export function resolutionOf(expected: Expected, statuses: Readonly<Record<string, TestStatus>>): Resolution {
  const passed = (id: string) => statuses[id] === "PASSED" || statuses[id] === "XFAIL";
  const failToPass = expected.FAIL_TO_PASS.filter(passed).length;
  const passToPass = expected.PASS_TO_PASS.filter((id) => passed(id) || statuses[id] === "SKIPPED").length;
  const resolved = failToPass === expected.FAIL_TO_PASS.length && passToPass === expected.PASS_TO_PASS.length;
  return { resolved, failToPass, passToPass };
}

/** R2E's rule: the statuses of all tests are as expected, no test more or less. Names are compared without colour and reason. */
export function matchesR2e(
  expected: Readonly<Record<string, string>>,
  statuses: Readonly<Record<string, string>>,
): boolean {
  const [want, got] = [plain(expected), plain(statuses)];
  return want.size === got.size && [...want].every(([name, status]) => got.get(name) === status);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour begins with
const colour = /\u001b\[\d+m/g;
const plain = (statuses: Readonly<Record<string, string>>) =>
  new Map(Object.entries(statuses).map(([name, status]) => [name.replace(colour, "").split(" - ")[0]!, status]));
