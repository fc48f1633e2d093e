/** What can be done next by calling a tool. */
export type ToolStep =
  /** See whether a request is allowed, what is missing and whom to ask. */
  | { do: "explain"; url: string; scopes: readonly string[] }
  /** Ask an administrator for what is missing. */
  | { do: "ask"; url: string; scopes: readonly string[] }
  /** The same request again, with this in addition. */
  | { do: "add_scope"; scopes: readonly string[] }
  | { do: "add_connection"; connection: string }
  | { do: "show_connection"; connection: string }
  | { do: "list_connections" | "list_skills" };

/** What only a person can do next. */
export interface PersonStep {
  do: "sign_in" | "connect" | "disconnect" | "run";
}

/** Advice for a model: words, and the tool to call or what a person has to do. */
export function toolHint<Step extends PersonStep>(
  { hint, next }: { hint: string; next?: ToolStep | Step | undefined },
  forPerson: (step: Step) => string,
): string {
  if (next === undefined) return hint;
  const call = toolFor(next);
  return call === undefined ? `${hint}. ${forPerson(next as Step)}` : `${hint}: ${call}.`;
}

function toolFor(step: ToolStep | PersonStep): string | undefined {
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
