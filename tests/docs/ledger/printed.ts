import { readCommandLines } from "../command-lines.js";
import { type CodeBlock, codeBlocks, listDocuments } from "../markdown.js";

/** A block with something to type. */
export interface PrintedBlock extends CodeBlock {
  /** Each with the lines that continue it and the here-document that it reads. */
  readonly commands: readonly string[];
}

/** Blocks by their pages, each by the words that its first command begins with, or by all of its commands, one on each line. */
export type BlockNames = Readonly<Record<string, readonly string[]>>;

const command = /^[^\n]*<<-?\s*'?(?<end>\w+)'?[^]*?\n\k<end>$|^(?:[^\n]*(?:\\|&&)\n(?:[ \t]*\n)*)*[^\n]+/gm;

/** Every block of every document that has something to type: in a shell, or behind `$ ` where the answer is shown too. Variables alone, for a file, are not typed. */
export function printedBlocks(): PrintedBlock[] {
  return listDocuments()
    .flatMap(codeBlocks)
    .map((block) => ({ ...block, commands: commandsOf(block) }))
    .filter(({ commands }) => commands.length > 0);
}

/**
 * The block of a page that is named so.
 *
 * @throws {Error} There is none, or more than one.
 */
export function findBlock(
  page: string,
  name: string,
  blocks: readonly PrintedBlock[] = printedBlocks(),
): PrintedBlock {
  const here = blocks.filter(({ path }) => path === page);
  const whole = here.filter(({ commands }) => commands.join("\n") === name);
  const found =
    whole.length > 0 ? whole : here.filter(({ commands: [first = ""] }) => first.startsWith(name));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${page} has ${found.length} blocks that begin with: ${name}`);
  return block;
}

/** What names the blocks, as they are now. */
export function findBlocks(names: BlockNames, blocks?: readonly PrintedBlock[]): PrintedBlock[] {
  return Object.entries(names).flatMap(([page, each]) => each.map((name) => findBlock(page, name, blocks)));
}

function commandsOf({ language, code }: CodeBlock): string[] {
  if (language === "sh")
    return [...code.matchAll(command)]
      .map(([text]) => text)
      .filter((text) => readCommandLines(text).length > 0);
  if (language !== "console" && language !== "text") return [];
  return [...code.matchAll(/^\$ (.*)$/gm)].map(([, text = ""]) => text);
}
