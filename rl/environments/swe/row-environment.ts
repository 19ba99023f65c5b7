import { ActorsError } from "../../../runtime/index.js";
import type { EnvContext, EnvironmentDef, Evaluation } from "../environment.js";
import { type AgentOptions, agentEnvironment } from "./agent-environment.js";
import type { SweRef } from "./agents.js";
import { gradeRow, layOutRow, ofImage } from "./row-sandbox.js";
import type { SweRow } from "./rows.js";

export interface SweRowsOptions extends AgentOptions {
  /** See `readSweRows`; those of SWE-bench and SWE-Gym whose tests are pytest's can be played. Every fifth is held out. */
  rows: readonly SweRow[];
}

/**
 * Rows of data sets, each in a sandbox that starts from the row's image. The reward is 1 when the issue is resolved as SWE-bench
 * has it, else 0.
 * @throws ActorsError INVALID_ARGUMENT naming the first row that cannot be played, and why
 */
export function sweRowsEnvironment({ rows, ...options }: SweRowsOptions): EnvironmentDef<SweRef> {
  for (const row of rows) requirePlayable(row);
  const byId = new Map(rows.map((row) => [row.instance_id, row]));
  const load = ({ instance_id: id }: SweRef): SweRow => {
    const row = byId.get(id);
    if (row) return row;
    throw new ActorsError("NOT_FOUND", `${options.name} has no row ${id}`);
  };
  const refs = rows.map(({ instance_id }) => ({ instance_id }));
  const what = ({ repo }: SweRow) => repo;
  const def = agentEnvironment(options, { refs: () => refs, load, what, ground: ofImage, layOut: layOutRow, grade });
  return { ...def, image: (ref) => ({ name: load(ref).image, workspace: ofImage.workspace }) };
}

async function grade(row: SweRow, context: EnvContext): Promise<Evaluation> {
  const graded = await gradeRow(row, context);
  const solved = Number(graded.resolved);
  const info = {
    solved,
    /** Shares of the tests of each list that pass. */
    fail_to_pass: graded.failToPass / Math.max(1, row.FAIL_TO_PASS.length),
    pass_to_pass: graded.passToPass / Math.max(1, row.PASS_TO_PASS.length),
    files_changed: graded.changed,
    files_dropped: graded.dropped,
    timed_out: Number(graded.timedOut),
  };
  return { reward: solved, info };
}

function requirePlayable({ instance_id, format, test_patch, FAIL_TO_PASS, PASS_TO_PASS }: SweRow): void {
  const refuse = (why: string) => {
    throw new ActorsError("INVALID_ARGUMENT", `row ${instance_id} cannot be played: ${why}`, {
      hint: "Leave such rows out.",
    });
  };
  if (test_patch === null)
    refuse(`rows of ${format} hold no test_patch, and where their images have the hidden tests is not known here`);
  const other = [...FAIL_TO_PASS, ...PASS_TO_PASS].find((id) => !/^[^\s:]+\.py::\S/.test(id));
  if (other !== undefined) refuse(`its test "${other}" is not one of pytest, which is path::name`);
}
