/** A Markdown table, with bars in cells escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/**
 * Tables whose last column is the cure. A cure that at least three rows share is written once, above a table of its own; the other
 * rows come first.
 */
export function tablesByCure(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cures = [...new Set(rows.map((row) => row.at(-1) ?? ""))];
  const shared = cures
    .map((cure) => ({ cure, group: rows.filter((row) => row.at(-1) === cure) }))
    .filter(({ group }) => group.length >= 3);
  const others = rows.filter((row) => !shared.some(({ cure }) => cure === row.at(-1)));
  const withoutCure = (row: readonly string[]) => row.slice(0, -1);
  return [
    ...(others.length > 0 ? [table(head, others)] : []),
    ...shared.flatMap(({ cure, group }) => [
      `**Cure:** ${cure}`,
      table(withoutCure(head), group.map(withoutCure)),
    ]),
  ].join("\n\n");
}

/** Note at the top of a generated page. */
export const generatedNote =
  "This page is made from the code; a test compares the two. After a change of the code: `npx vitest run --project tests tests/docs/reference.test.ts -u`.";

/** Joins the sections of a page. */
export function page(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
