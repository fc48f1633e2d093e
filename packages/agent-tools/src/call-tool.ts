import type { AgentCalls } from "./agent-calls.js";
import { cleanJson, toSafeJson } from "./clean-text.js";
import { type ProgressNotification, reportProgress } from "./report-progress.js";
import { InvalidArguments, TOOLS } from "./tools.js";

/** Whose call is carried out. */
export interface ToolSession {
  /** Opens the session. If there is none, the first call says what to do, which an agent can pass on. */
  open: () => Promise<AgentCalls>;
  /** What went wrong and what to do next, for a model; undefined for an unforeseen failure. */
  describe: (error: unknown) => string | undefined;
}

/** What a message asks for, and how its host is told that it takes a while. */
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
 * Carries out a call of a tool. What goes wrong in a way that is foreseen is a result as well: the model is to read it.
 *
 * @throws {InvalidArguments} There is no such tool, or it does not take these arguments.
 */
export async function callTool(call: ToolCall, { open, describe }: ToolSession): Promise<ToolResult> {
  const tool = TOOLS.find(({ name }) => name === call.name);
  if (tool === undefined) throw new InvalidArguments(`There is no tool "${call.name}".`);
  const stopReporting = reportProgress(call.progressToken, call.notify);
  try {
    return shownResult(await tool.call(await open(), call.arguments ?? {}, call.signal));
  } catch (error) {
    const text = error instanceof InvalidArguments ? undefined : describe(error);
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
