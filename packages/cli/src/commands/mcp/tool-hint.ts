import { type Advice, type Invocation, type NextStep, offer } from "../../messages/next-step.js";

/** What to do next, for a model: the tool to call, or the command that a person has to run. */
export function toolHint({ hint, next }: Advice, invocation: Invocation): string {
  if (next === undefined || next.do === "add") return hint;
  const call = toolFor(next);
  if (call !== undefined) return `${hint}: ${call}.`;
  return `${hint}. A person has to run this in a terminal: ${offer(next, invocation)}`;
}

function toolFor(step: Exclude<NextStep, { do: "add" }>): string | undefined {
  switch (step.do) {
    case "explain": {
      // The model has just written the address itself.
      const scopes = step.scopes.length === 0 ? "" : ` and scopes ${JSON.stringify(step.scopes.join(" "))}`;
      return `call explain with this url${scopes}`;
    }
    case "add_scope":
      return `"scopes": ${JSON.stringify(step.scopes.join(" "))}`;
    case "add_connection":
      return `"connection": ${JSON.stringify(step.connection)}`;
    case "show_connection":
    case "list_connections":
      return "call list_connections";
    case "list_skills":
      return "call find_skills";
    case "ask":
      return "call explain with this url, and a reason as ask";
    case "sign_in":
    case "connect":
    case "disconnect":
    case "run":
      break;
  }
  return undefined;
}
