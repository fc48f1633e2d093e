import type { ToolStep } from "@authz/agent-tools";
import { shellWord } from "@authz/agent-tools/hosts";

/** What can be done next: shown to people as a command, and to models as a tool where there is one. */
export type NextStep =
  | ToolStep
  | {
      do: "sign_in";
      /** With the address printed instead of a browser opened. */
      withAddress?: true;
      /** Keeping the session in a file. */
      inFile?: true;
    }
  | { do: "connect" | "disconnect"; connection: string }
  /** A command: the words after the program. */
  | { do: "run"; words: readonly string[]; inEveryProfile?: true; variables?: Variables }
  /** Options that can be added to the same command, and what they are good for. */
  | { do: "add"; lead: string; words: readonly string[] };

type Variables = Readonly<Record<string, string>>;

/** What to do about a failure: words, and the step that they end with. */
export interface Advice {
  hint: string;
  next?: NextStep | undefined;
}

/** How this command was started: what every command that it offers has to repeat, or it would mean something else. */
export interface Invocation {
  /** The program as it was typed: `authz`, or `npx @authz/cli`. */
  program: string;
  platform: NodeJS.Platform;
  /** The profile that was named, by option or by variable. */
  profile: string | undefined;
  /** Of a sign-in: its own options, and the variables it was given. */
  login: { words: readonly string[]; variables: Variables };
}

/** The only place where a command is put together that is offered to be typed. */
export function offer(step: NextStep, invocation: Invocation): string {
  const quote = invocation.platform === "win32" ? powerShellWord : shellWord;
  const words = wordsOf(step, invocation).map(quote);
  if (isAddition(step)) return words.join(" ");
  return [
    ...Object.entries(variablesOf(step, invocation)).map(([name, value]) =>
      invocation.platform === "win32" ? `$env:${name}=${powerShellText(value)};` : `${name}=${quote(value)}`,
    ),
    invocation.program,
    ...words,
  ].join(" ");
}

/** Advice as it is shown: words, and the command that they end with. */
export function hintOf({ hint, next }: Advice, invocation: Invocation): string {
  if (next === undefined) return hint;
  const lead = next.do === "add" ? `${hint} ${next.lead}` : hint;
  return `${lead}: ${offer(next, invocation)}`;
}

/** Whether a step adds to the command that failed, rather than being one of its own. */
function isAddition({ do: what }: NextStep): boolean {
  return what === "add" || what === "add_scope" || what === "add_connection";
}

function wordsOf(step: NextStep, { profile, login }: Invocation): readonly string[] {
  const own = ownWords(step);
  if (isAddition(step)) return own;
  const words = step.do === "sign_in" ? [...own, ...repeatedBy(step, login.words)] : own;
  const named = words.includes("--profile") || (step.do === "run" && step.inEveryProfile === true);
  return profile === undefined || named ? words : [...words, "--profile", profile];
}

/** The words of a step without the program: a command, or options to add to the same one. */
function ownWords(step: NextStep): readonly string[] {
  switch (step.do) {
    case "run":
    case "add":
      return step.words;
    case "sign_in":
      return ["login", ...(step.withAddress === true ? ["--no-browser"] : [])];
    case "explain": {
      const { origin, pathname } = new URL(step.url);
      return ["why", ...asScopeOptions(step.scopes), `${origin}${pathname}`];
    }
    case "ask": {
      const { origin, pathname } = new URL(step.url);
      return ["ask", ...asScopeOptions(step.scopes), "--reason", "WHY", `${origin}${pathname}`];
    }
    case "add_scope":
      return asScopeOptions(step.scopes);
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

function asScopeOptions(scopes: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) => ["--scope", scope]);
}

/** What was said about a sign-in is said again, but not what the step replaces. */
function repeatedBy(
  { withAddress }: Extract<NextStep, { do: "sign_in" }>,
  words: readonly string[],
): readonly string[] {
  return withAddress === true ? words.filter((word) => !/^--(?:no-)?browser$|^--device$/.test(word)) : words;
}

function variablesOf(step: NextStep, { login }: Invocation): Variables {
  if (step.do === "run") return step.variables ?? {};
  if (step.do !== "sign_in") return {};
  return step.inFile === true ? { ...login.variables, AUTHZ_TOKEN_STORE: "file" } : login.variables;
}

/** A string as one word for PowerShell. */
function powerShellWord(text: string): string {
  return /^[\w.:/\\+=-]+$/.test(text) ? text : powerShellText(text);
}

/** PowerShell takes typographic quotes for plain ones, so that any of them could end the string. */
function powerShellText(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}
