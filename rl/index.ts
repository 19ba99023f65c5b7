export {
  type AdvantageEstimator,
  type AdvantageOptions,
  advantages,
  ofScores,
  type ScoredSample,
} from "./algorithms/advantages.js";
export { type LossInput, type LossOutput, type PolicyLoss, policyLosses } from "./algorithms/policy-losses.js";
export { type MiniBatchShape, type Reduction, reductions } from "./algorithms/reductions.js";
export type { ScoreEstimator } from "./algorithms/score-advantages.js";
export { potentialOf, type Stage } from "./algorithms/shaping.js";
export { loadYaml, mergeConfig, resolveConfig } from "./config/load.js";
export type { Config, ConfigInput } from "./config/schema.js";
export type {
  Demonstration,
  EnvContext,
  Environment,
  EnvironmentDef,
  Random,
  Script,
  StepResult,
  Tokenizer,
} from "./environments/environment.js";
export { type GymnasiumOptions, gymnasium } from "./environments/gymnasium/index.js";
export {
  type ChatJudgeOptions,
  chatJudge,
  type Judge,
  type Judged,
  judged,
  rewardOf,
} from "./environments/judge.js";
export { type McpEnvironmentSpec, type McpServer, type McpSession, mcpEnvironment } from "./environments/mcp/index.js";
export { noSandbox, play } from "./environments/play.js";
export { quickstart as quickstartEnvironment } from "./environments/quickstart/index.js";
export { seededRandom } from "./environments/random.js";
export {
  type Message,
  readSkyRows,
  type SkyEnv,
  type SkyOptions,
  type SkyRow,
  skyEnvironment,
} from "./environments/skyrl.js";
export type { Agent, SweRef } from "./environments/swe/agents.js";
export {
  type Expected,
  matchesR2e,
  type Resolution,
  resolutionOf,
  type TestStatus,
} from "./environments/swe/resolved.js";
export { type SweRowsOptions, sweRowsEnvironment } from "./environments/swe/row-environment.js";
export { readSweRows, type SweFormat, type SweRow, sweBenchImage, sweGymImage } from "./environments/swe/rows.js";
export { type SweOptions, sweEnvironment } from "./environments/swe/swe.js";
export { type ToolEnvironmentSpec, toolEnvironment } from "./environments/tool-environment.js";
export { type Tool, type ToolCall, ToolError, type ToolResult, toolsOf } from "./environments/tools.js";
export { type Verified, verify } from "./environments/verify.js";
export { marks, wordTokenizer } from "./environments/words.js";
export { quickstart, settings as quickstartSettings } from "./recipes/quickstart.js";
export { defineEnvironment } from "./rollout/environment-ref.js";
export { findRun, readTrajectories } from "./run/read.js";
export { type SandboxActorOptions, sandboxActor } from "./sandbox/actor.js";
export type { Image } from "./sandbox/backend.js";
export { RemoteSandbox, SandboxClient } from "./sandbox/client.js";
export type { CommandLine, ExecOptions, ExecResult } from "./sandbox/exec.js";
export type { CreateOptions } from "./sandbox/pool.js";
export {
  type Entry,
  type Evaluated,
  type Evaluation,
  Sandbox,
  type SandboxFile,
  type SnapshotId,
} from "./sandbox/sandbox.js";
export type { Op, OpResult, OutputChunk, SandboxSession } from "./sandbox/session.js";
export type { Shell, ShellOptions, ShellResult } from "./sandbox/shell.js";
export type { Template } from "./sandbox/snapshots.js";
export { fineTune, type SftMetrics, type SftOptions, type SftResult } from "./sft/run.js";
export { type ChatMessage, type ChatOptions, HuggingFaceTokenizer } from "./tokenizers/hugging-face.js";
export type { StepMetrics } from "./trainer/report.js";
export { type Phase, type TrainOptions, type TrainResult, train } from "./trainer/train.js";
