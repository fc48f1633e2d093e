import { STATUS_CODES } from "node:http";
import type { TransportAnswer } from "@authz/client";
import { answerFrame } from "@authz/agent-tools";
import type { CommandContext } from "../command.js";

/** Prints the head of an answer, in a frame of its own where the body has one. */
export function showHead(
  answer: Pick<TransportAnswer, "status" | "headers">,
  from: string,
  { runtime, output }: CommandContext,
): void {
  const head = headOf(answer);
  if (!runtime.stdoutIsTerminal && !output.agent) return output.text(head);
  const { begin, end } = answerFrame(from);
  output.text(`${begin}\n${head.trimEnd()}\n${end}`);
}

/** The head as curl shows it: status, headers, an empty line. */
function headOf({ status, headers }: Pick<TransportAnswer, "status" | "headers">): string {
  const reason = STATUS_CODES[status] ?? "";
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${String(status)} ${reason}`.trimEnd(), ...lines, ""].join("\n")}\n`;
}
