/** One TypeScript block of a Markdown file. */
export interface CodeBlock {
  /** From a first line such as `// server.ts`; otherwise numbered. */
  readonly fileName: string;
  /** Marked as a piece of a file (`ts fragment`): compiled behind the package's prelude, and not run. */
  readonly isFragment: boolean;
  readonly code: string;
}

/** Finds the TypeScript blocks of a Markdown text. */
export function findCodeBlocks(markdown: string): CodeBlock[] {
  const blocks = [...markdown.matchAll(/^```ts( fragment)?\n(.*?)^```$/gms)];
  return blocks.map(([, fragment, code = ""], index) => ({
    fileName: /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? `block-${index + 1}.ts`,
    isFragment: fragment !== undefined,
    code,
  }));
}
