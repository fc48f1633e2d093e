/** One line of the table of all benchmarks. */
export interface Figure {
  readonly what: string;
  readonly figure: string;
  /** What it is compared with, in the same run. */
  readonly beside: string;
  readonly ratio: string;
}

/** What the figures were measured on. */
export interface Conditions {
  /** Like `v24.21.0`. */
  readonly node: string;
  readonly machine: string;
  /** Like `2026-01-31`. */
  readonly date: string;
  readonly minutes: number;
}

const begin = "<!-- Written by npm run bench -- --table: begin -->";
const end = "<!-- Written by npm run bench -- --table: end -->";

/**
 * Puts the table of one run into a document: in place of the one of the same major version of Node.js, beside those of others.
 *
 * @throws {Error} The document has no place for it.
 */
export function insertTable(document: string, figures: readonly Figure[], conditions: Conditions): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The document has no lines "${begin}" and "${end}".`);
  const major = majorOf(conditions.node);
  const known = document
    .slice(from + begin.length, to)
    .split(/^(?=### Node )/m)
    .filter(
      (section) => section.startsWith("### Node ") && majorOf(section.slice("### Node ".length)) !== major,
    );
  const sections = [...known.map((section) => section.trim()), sectionOf(figures, conditions)].toSorted(
    (one, other) => one.localeCompare(other, "en", { numeric: true }),
  );
  return `${document.slice(0, from + begin.length)}\n\n${sections.join("\n\n")}\n\n${document.slice(to)}`;
}

function sectionOf(figures: readonly Figure[], { node, machine, date, minutes }: Conditions): string {
  const rows = figures.map(
    ({ what, figure, beside, ratio }) => `| ${what} | ${figure} | ${beside} | ${ratio} |`,
  );
  return [
    `### Node ${node.replace("v", "")}`,
    "",
    `${machine}. ${date}, ${minutes.toFixed(0)} minutes.`,
    "",
    "| | Authz | Beside | Ratio |",
    "|---|---:|---|---:|",
    ...rows,
  ].join("\n");
}

function majorOf(version: string): number {
  return Number.parseInt(version.replace("v", ""), 10);
}
