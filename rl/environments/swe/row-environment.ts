import { ActorsError } from "../../../runtime/index.js";
import type { EnvContext, EnvironmentDef, Evaluation } from "../environment.js";
import { seededRandom, shuffled } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { type Agent, promptOf as promptFor, type SweRef, type SweState, toolsFor } from "./agents.js";
import { gradeRow, layOutRow, ofImage } from "./row-sandbox.js";
import type { SweRow } from "./rows.js";
import { expertOf, randomOf } from "./scripts.js";

export interface SweRowsOptions {
  name: string;
  /** See `readSweRows`; those of SWE-bench and SWE-Gym whose tests are pytest's can be played. Every fifth is held out. */
  rows: readonly SweRow[];
  /** Default: codeact. */
  agent?: Agent;
  /** Default: 30. What is not handed in by then is not graded. */
  maxTurns?: number;
  /** Of one action, which may hold a whole file. Default: 4096. */
  maxActionTokens?: number;
  tokenizer?: EnvironmentDef["tokenizer"];
}

const heldOutOf = 5;
const randomTurns = 6;

/**
 * Rows of data sets, each in a sandbox that starts from the row's image. The reward is 1 when the issue is resolved as SWE-bench
 * has it, else 0.
 * @throws ActorsError INVALID_ARGUMENT naming the first row that cannot be played, and why
 */
export function sweRowsEnvironment(options: SweRowsOptions): EnvironmentDef<SweRef> {
  const { name, rows, agent = "codeact", maxTurns = 30, maxActionTokens = 4096, tokenizer } = options;
  for (const row of rows) requirePlayable(row);
  const byId = new Map(rows.map((row) => [row.instance_id, row]));
  const rowOf = ({ instance_id: id }: SweRef): SweRow => {
    const row = byId.get(id);
    if (row) return row;
    throw new ActorsError("NOT_FOUND", `${name} has no row ${id}`);
  };
  const refs = rows.map(({ instance_id }) => ({ instance_id }));
  const heldOut = refs.filter((_, i) => i % heldOutOf === 0);
  const train = refs.length > 1 ? refs.filter((_, i) => i % heldOutOf !== 0) : refs;
  const promptOf = (row: SweRow) => promptFor(row.problem_statement, row.repo, ofImage, agent);
  const evaluate = async (row: SweRow, context: EnvContext): Promise<Evaluation> => {
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
  };
  const def = toolEnvironment<SweRef, SweState>({
    ...{ name, maxTurns, maxActionTokens, sandbox: true, ...(tokenizer && { tokenizer }) },
    start: async (ref, context) => {
      await layOutRow(rowOf(ref), context);
      return { history: {} };
    },
    prompt: (ref) => promptOf(rowOf(ref)),
    tools: toolsFor(agent, ofImage),
    evaluate: async ({ task, context }, done) => (done ? evaluate(rowOf(task), context) : { reward: 0, info: {} }),
    trainTask: (seed, index) => {
      const [round, at] = [Math.floor(index / train.length), index % train.length];
      return shuffled(train, seededRandom(seed, round))[at] as SweRef;
    },
    heldOutTasks: () => [...heldOut],
    expert: expertOf(agent, (prompt) => rows.find((row) => prompt === promptOf(row))),
    random: randomOf(agent, randomTurns),
  });
  return { ...def, image: (ref) => ({ name: rowOf(ref).image, workspace: ofImage.workspace }) };
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
