/** One program with its arguments, as printed in a document. */
export interface CommandLine {
  /** Assignments in front of the command. */
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

/**
 * Splits a block of shell into commands, without comments, here-documents, redirections and brackets; commands of `sh -c` too.
 * Covers only the syntax that documents use, and expands nothing.
 *
 * @throws {Error} The syntax is not covered, such as an unfinished quote.
 */
export function readCommandLines(code: string): CommandLine[] {
  const withoutHereDocuments = code.replaceAll(/(<<-?\s*'?(\w+)'?[^\n]*\n)[^]*?\n\s*\2(?=\n|$)/g, "$1");
  const joined = withoutHereDocuments.replaceAll(/\\\n\s*/g, " ");
  return joined.split("\n").flatMap((line) => readLine(line));
}

function readLine(line: string): CommandLine[] {
  const commands: string[][] = [[]];
  let skipNext = false;
  for (const token of tokens(line)) {
    if (token.kind === "end") commands.push([]);
    else if (token.kind === "redirection") skipNext = true;
    else if (skipNext) skipNext = false;
    else commands.at(-1)?.push(token.text);
  }
  return commands
    .map(split)
    .filter(({ words }) => words.length > 0)
    .flatMap((command) => (command.words[0] === "sh" ? readCommandLines(command.words[2] ?? "") : [command]));
}

type Token = { readonly kind: "word" | "end" | "redirection"; readonly text: string };

const patterns: readonly (readonly [Token["kind"] | "nothing", RegExp])[] = [
  ["nothing", /\s+/y],
  ["nothing", /#.*/y],
  ["redirection", /\d?(?:<<-?|>>|[<>])&?/y],
  ["end", /&&|\|\|?|;|&|[()]/y],
  ["word", /(?:'[^']*'|"(?:\\.|\$\([^)]*\)|[^"\\])*"|\$\([^)]*\)|\$?\{[^}\s]*\}|\\.|[^\s'"\\|&;()<>])+/y],
];

function tokens(line: string): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < line.length; ) {
    const [kind, text] = nextToken(line, at);
    if (kind !== "nothing") found.push({ kind, text: kind === "word" ? unquote(text) : text });
    at += text.length;
  }
  return found;
}

function nextToken(line: string, at: number): [Token["kind"] | "nothing", string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [text = ""] = pattern.exec(line) ?? [];
    if (text !== "") return [kind, text];
  }
  throw new Error(`Cannot parse: ${line.slice(at)}`);
}

function unquote(text: string): string {
  return text.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
    (_whole, plain?: string, soft?: string) => plain ?? soft ?? "",
  );
}

function split(words: readonly string[]): CommandLine {
  const variables: Record<string, string> = {};
  let rest = words[0] === "sudo" ? words.slice(1) : [...words];
  for (let match = assignment(rest[0]); match !== undefined; match = assignment(rest[0])) {
    variables[match[0]] = match[1];
    rest = rest.slice(1);
  }
  return { variables, words: rest };
}

function assignment(word: string | undefined): readonly [string, string] | undefined {
  const [, name, value] = /^([A-Z_]+)=([^]*)$/.exec(word ?? "") ?? [];
  return name === undefined ? undefined : [name, value ?? ""];
}
