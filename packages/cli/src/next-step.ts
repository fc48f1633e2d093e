import { isAddition, type NextStep, shellWord, stepWords } from "@authz/client";

/** What can be done next: a step that the client library knows, or words of this command line's own. */
export type CliStep =
  | NextStep
  /** A command: the words after the program. */
  | { do: "run"; words: readonly string[]; inEveryProfile?: true; variables?: Variables }
  /** Options that can be added to the same command, and what they are good for. */
  | { do: "add"; lead: string; words: readonly string[] };

export type Variables = Readonly<Record<string, string>>;

/** How this command was started: what every command that it offers has to repeat, or it would mean something else. */
export interface Invocation {
  /** The program as it was typed: `authz`, or `npx @authz/cli`. */
  program: string;
  platform: NodeJS.Platform;
  /** The profile that was named, by option or by variable. */
  profile: string | undefined;
  /** Of a log-in: its own options, and the variables it was given. */
  login: { words: readonly string[]; variables: Variables };
}

/** The only place where a command is put together that is offered to be typed. */
export function offer(step: CliStep, invocation: Invocation): string {
  const quote = invocation.platform === "win32" ? powerShellWord : shellWord;
  const words = wordsOf(step, invocation).map(quote);
  if (step.do === "add" || (step.do !== "run" && isAddition(step))) return words.join(" ");
  return [
    ...Object.entries(variablesOf(step, invocation)).map(([name, value]) =>
      invocation.platform === "win32" ? `$env:${name}=${powerShellText(value)};` : `${name}=${quote(value)}`,
    ),
    invocation.program,
    ...words,
  ].join(" ");
}

/** A hint as it is shown: words, and the command that they end with. */
export function hintOf(
  { advice, next }: { advice: string; next?: CliStep | undefined },
  invocation: Invocation,
): string {
  if (next === undefined) return advice;
  const lead = next.do === "add" ? `${advice} ${next.lead}` : advice;
  return `${lead}: ${offer(next, invocation)}`;
}

function wordsOf(step: CliStep, { profile, login }: Invocation): readonly string[] {
  if (step.do === "add") return step.words;
  if (step.do !== "run" && isAddition(step)) return stepWords(step);
  const own = step.do === "run" ? step.words : stepWords(step);
  const words = step.do === "sign_in" ? [...own, ...repeatedBy(step, login.words)] : own;
  const named = words.includes("--profile") || (step.do === "run" && step.inEveryProfile === true);
  return profile === undefined || named ? words : [...words, "--profile", profile];
}

/** What was said about a log-in is said again, but not what the step replaces. */
function repeatedBy(
  { withAddress }: Extract<NextStep, { do: "sign_in" }>,
  words: readonly string[],
): readonly string[] {
  return withAddress === true ? words.filter((word) => !/^--(?:no-)?browser$|^--device$/.test(word)) : words;
}

function variablesOf(step: CliStep, { login }: Invocation): Variables {
  if (step.do === "run") return step.variables ?? {};
  if (step.do !== "sign_in") return {};
  return step.inFile === true ? { ...login.variables, AUTHZ_TOKEN_STORE: "file" } : login.variables;
}

/** A text as one word for PowerShell. */
function powerShellWord(text: string): string {
  return /^[\w.:/\\+=-]+$/.test(text) ? text : powerShellText(text);
}

/** PowerShell takes typographic quotes for plain ones, so that any of them could end the text. */
function powerShellText(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}
