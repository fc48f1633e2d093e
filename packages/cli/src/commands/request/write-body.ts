import type { TransportAnswer } from "@authz/client";
import { send } from "../../streams.js";
import type { CommandContext } from "../command.js";

/** Streams the body of an answer to stdout: byte for byte into a pipe or a file, and as text to be read on a terminal and for agents. */
export async function writeBody(
  answer: TransportAnswer,
  from: string,
  context: CommandContext,
): Promise<void> {
  const { stdout, stdoutIsTerminal } = context.runtime;
  if (stdoutIsTerminal || context.output.agent) {
    const { showBody } = await import("./show-body.js");
    return await showBody(answer, from, context);
  }
  for await (const chunk of answer.body) if (!(await send(stdout, chunk))) return answer.discard();
}
