/** A Markdown table. A bar in a cell would end it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** What stands at the top of a page that a test keeps up to date. */
export const generatedNote =
  "This page is made from the code; a test compares the two. After a change of the code: `npx vitest run --project tests tests/docs/reference.test.ts -u`.";

/** The sections of a page, with one empty line in between. */
export function page(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
