import { toolHint as hintWithTools } from "@authz/agent-tools";
import { type Advice, type Invocation, offer } from "../../messages/next-step.js";

/** What to do next, for a model: the tool to call, or the command that a person has to run. */
export function toolHint({ hint, next }: Advice, invocation: Invocation): string {
  // More options are for people at a terminal.
  if (next?.do === "add") return hint;
  return hintWithTools(
    { hint, next },
    (step) => `A person has to run this in a terminal: ${offer(step, invocation)}`,
  );
}
