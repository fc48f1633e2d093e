/** One line of the table of all benchmarks. */
export interface Figure {
  readonly what: string;
  readonly figure: string;
  /** What it is compared with, in the same run, or the goal. */
  readonly beside: string;
  readonly ratio: string;
}

/** What one benchmark has found; nothing when it has failed or lacks what it needs. */
export interface Measured {
  /** As `npm run bench` knows it. */
  readonly benchmark: string;
  readonly figures: readonly Figure[];
}

/** What the figures were measured on. */
export interface Conditions {
  /** Like `v24.21.0`. */
  readonly node: string;
  readonly machine: string;
  /** Of other programs, like `PostgreSQL 16.9`. */
  readonly programs: readonly string[];
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
export function insertTable(document: string, measured: readonly Measured[], conditions: Conditions): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The document has no lines "${begin}" and "${end}".`);
  const major = majorOf(conditions.node);
  const known = document
    .slice(from + begin.length, to)
    .split(/^(?=### Node )/m)
    .filter(
      (section) => section.startsWith("### Node ") && majorOf(section.slice("### Node ".length)) !== major,
    );
  const sections = [...known.map((section) => section.trim()), sectionOf(measured, conditions)].toSorted(
    (one, other) => one.localeCompare(other, "en", { numeric: true }),
  );
  return `${document.slice(0, from + begin.length)}\n\n${sections.join("\n\n")}\n\n${document.slice(to)}`;
}

function sectionOf(
  measured: readonly Measured[],
  { node, machine, programs, date, minutes }: Conditions,
): string {
  const rows = measured.flatMap(({ benchmark, figures }) => {
    const command = `\`npm run bench -- ${benchmark}\``;
    if (figures.length === 0) return [`| Not measured | | | | ${command} |`];
    return figures.map(
      ({ what, figure, beside, ratio }) => `| ${what} | ${figure} | ${beside} | ${ratio} | ${command} |`,
    );
  });
  return [
    `### Node ${node.replace("v", "")}`,
    "",
    `${[machine, ...programs].join(", ")}. ${date}, ${minutes.toFixed(0)} minutes.`,
    "",
    "| | Authz | Alternative or goal | Ratio | In full |",
    "|---|---:|---|---:|---|",
    ...rows,
  ].join("\n");
}

function majorOf(version: string): number {
  return Number.parseInt(version.replace("v", ""), 10);
}
