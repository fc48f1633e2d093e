import { readCommandLines } from "./command-lines.js";
import { type CodeBlock, codeBlocks, listDocuments } from "./markdown.js";

/** A block that contains commands. */
export interface PrintedBlock extends CodeBlock {
  /** Each with its continuation lines and its here-document. */
  readonly commands: readonly string[];
}

const command = /^[^\n]*<<-?\s*'?(?<end>\w+)'?[^]*?\n\k<end>$|^(?:[^\n]*(?:\\|&&)\n(?:[ \t]*\n)*)*[^\n]+/gm;

/** All blocks with commands: shell, or lines after `$ `. Blocks of variables only are left out. */
export function printedBlocks(documents: readonly string[] = listDocuments()): PrintedBlock[] {
  return documents
    .flatMap(codeBlocks)
    .map((block) => ({ ...block, commands: commandsOf(block) }))
    .filter(({ commands }) => commands.length > 0);
}

/**
 * Finds a block by the start of its first command, or by all of its commands, one per line.
 *
 * @throws {Error} Not exactly one block matches.
 */
export function findBlock(page: string, name: string): PrintedBlock {
  const blocks = printedBlocks([page]);
  const whole = blocks.filter(({ commands }) => commands.join("\n") === name);
  const found =
    whole.length > 0 ? whole : blocks.filter(({ commands: [first = ""] }) => first.startsWith(name));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${page} has ${found.length} blocks that begin with: ${name}`);
  return block;
}

/**
 * Runs the commands of a block in sequence, with their index.
 *
 * @throws {Error} As {@link findBlock}.
 */
export async function typeBlock<T>(
  page: string,
  name: string,
  type: (command: string, index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const [index, line] of findBlock(page, name).commands.entries()) {
    results.push(await type(line, index));
  }
  return results;
}

function commandsOf({ language, code }: CodeBlock): string[] {
  if (language === "sh")
    return [...code.matchAll(command)]
      .map(([text]) => text)
      .filter((text) => readCommandLines(text).length > 0);
  if (language !== "console" && language !== "text") return [];
  return [...code.matchAll(/^\$ (.*)$/gm)].map(([, text = ""]) => text);
}
