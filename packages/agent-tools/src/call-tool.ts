import { quoted } from "@authz/skills/invisible";
import type { AgentCalls } from "./agent-calls.js";
import { cleanJson, toSafeJson } from "./clean-text.js";
import { type ProgressNotification, reportProgress } from "./report-progress.js";
import { InvalidArguments, refuseUnknown, agentTools } from "./tools.js";

/** The only mistake in a call that is no result: there is nothing that could have one. */
export class UnknownTool extends Error {
  override readonly name = "UnknownTool";
}

/** Whose call is carried out. */
export interface ToolSession {
  /** Opens the session. If there is none, the first call says what to do, which an agent can pass on. */
  open: () => Promise<AgentCalls>;
  /** What went wrong and what to do next, for a model; undefined for an unforeseen failure. */
  describe: (error: unknown) => string | undefined;
}

/** What a message asks for, and how progress is reported to its host. */
export interface ToolCall {
  name: string;
  arguments: Readonly<Record<string, unknown>> | undefined;
  /** What the host calls the progress by; undefined when it does not ask. */
  progressToken: string | number | undefined;
  notify: (notification: ProgressNotification) => Promise<void>;
  signal: AbortSignal;
}

/** What a model reads, and what a program goes on with, as the Model Context Protocol has it. */
export interface ToolResult {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: unknown;
  isError?: true;
}

/**
 * Carries out a call of a tool. What goes wrong in a way that is foreseen is a result as well, wrong arguments too: the model is to
 * read it and correct them.
 *
 * @throws {UnknownTool}
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling}
 */
export async function callTool(call: ToolCall, { open, describe }: ToolSession): Promise<ToolResult> {
  const tool = agentTools.find(({ name }) => name === call.name);
  if (tool === undefined) throw new UnknownTool(`There is no tool ${quoted(call.name, 100)}.`);
  const stopReporting = reportProgress(call.progressToken, call.notify);
  try {
    const args = call.arguments ?? {};
    refuseUnknown(args, tool);
    return shownResult(await tool.call(await open(), args, call.signal));
  } catch (error) {
    const text = error instanceof InvalidArguments ? `invalid_request: ${error.message}` : describe(error);
    if (text === undefined) throw error;
    return { content: [{ type: "text", text }], isError: true };
  } finally {
    stopReporting();
  }
}

/** A result as text; what a tool describes with `outputSchema` also as it is, for programs that go on with it. */
function shownResult(result: string | object): ToolResult {
  if (typeof result === "string") return { content: [{ type: "text", text: result }] };
  return {
    content: [{ type: "text", text: toSafeJson(result) }],
    structuredContent: cleanJson(result),
  };
}
