import { cleanLine } from "@authz/skills/invisible";

/** Rows as lines whose cells stand below each other. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`.trimEnd(),
  );
}

/** Lines as the terminal shows them: away from its edge, and without what a service could make it obey. */
export function lines(texts: readonly string[]): string {
  return texts.map((text) => (text === "" ? "\n" : `  ${cleanLine(text)}\n`)).join("");
}
