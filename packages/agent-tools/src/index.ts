/**
 * What an agent can do in a company: find and read skills, call services and connections, and learn why it may not. Knows neither
 * how a request travels nor how an agent is reached.
 *
 * @module
 */
export type { AgentAnswer, AgentCalls, AgentRequest } from "./agent-calls.js";
export type { AgentConnection } from "./agent-connection.js";
export { callTool, type ToolCall, type ToolResult, type ToolSession, UnknownTool } from "./call-tool.js";
export { toSafeJson } from "./clean-text.js";
export { type BestSkills, bestSkills, findSkills, foundDocument } from "./find-skills.js";
export {
  type AskedAccess,
  briefFor,
  describeCallRule,
  describeRequest,
  describeRule,
  describeUnknownScopes,
  isAdministrator,
  isAllUndecided,
  isUndecided,
  messageFor,
  type PermissionAnswer,
  type PermissionRule,
  verdict,
  whomToAsk,
} from "./permission-words.js";
export {
  type ConnectionAnswer,
  connectionBrief,
  connectionMessage,
  connectionVerdict,
} from "./connection-words.js";
export { answerFrame, type Frame, framedSkill, framedText } from "./frame.js";
export { compactJson, indentJson, itemsOf, membersOf } from "./json-text.js";
export { parseLinks } from "./links.js";
export {
  type AnsweredRequest,
  isIdempotent,
  type Problem,
  problemOf,
  retryAfter,
} from "./problem.js";
export type { ProgressNotification } from "./report-progress.js";
export { textOf } from "./read-skill.js";
export { describeGap } from "./skill-gaps.js";
export type { Skill, SkillFileEntry, SkillGap, SkillList, SkillSummary } from "./skill-list.js";
export { skillMarkdown, skillName } from "./skill-markdown.js";
export { toolHint, type ToolStep } from "./tool-hint.js";
export { type Tool, agentTools } from "./tools.js";
