import { shellWord } from "./request/shell-word.js";

/**
 * What somebody can do next with authz. Whoever shows it words it for its reader: as a command to be typed as this program was, or as a
 * tool that a model calls.
 */
export type NextStep =
  | {
      do: "sign_in";
      /** With the address printed instead of a browser opened. */
      withAddress?: true;
      /** Keeping the session in a file. */
      inFile?: true;
    }
  /** See whether a request is allowed, what is missing and whom to ask. */
  | { do: "explain"; url: string; scopes: readonly string[] }
  /** The same request again, with this in addition. */
  | { do: "add_scope"; scopes: readonly string[] }
  | { do: "add_connection"; connection: string }
  | { do: "connect" | "disconnect" | "show_connection"; connection: string }
  | { do: "list_connections" | "list_skills" };

/** The words of a step on the command line, without the program: a command, or options to add to the same one. */
export function stepWords(step: NextStep): readonly string[] {
  switch (step.do) {
    case "sign_in":
      return ["login", ...(step.withAddress === true ? ["--no-browser"] : [])];
    case "explain": {
      const { origin, pathname } = new URL(step.url);
      return ["why", ...asOptions("--scope", step.scopes), `${origin}${pathname}`];
    }
    case "add_scope":
      return asOptions("--scope", step.scopes);
    case "add_connection":
      return ["--connection", step.connection];
    case "connect":
    case "disconnect":
      return ["connections", step.do, step.connection];
    case "show_connection":
      return ["connections", "show", step.connection];
    case "list_connections":
      return ["connections"];
    case "list_skills":
      break;
  }
  return ["skills"];
}

/** Whether a step adds to the request that failed, rather than being a command of its own. */
export function isAddition({ do: what }: NextStep): boolean {
  return what === "add_scope" || what === "add_connection";
}

/** A step as it is typed, ready to be pasted into a shell. */
export function stepText(step: NextStep): string {
  const words = stepWords(step).map(shellWord).join(" ");
  if (isAddition(step)) return words;
  return `${step.do === "sign_in" && step.inFile === true ? "AUTHZ_TOKEN_STORE=file " : ""}authz ${words}`;
}

function asOptions(name: string, values: readonly string[]): readonly string[] {
  return values.flatMap((value) => [name, value]);
}
