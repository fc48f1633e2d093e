import type { Target } from "./target.js";

/**
 * What the audit trail has instead of the path: the template that fits best, else the prefix and `/{…}`.
 *
 * A path has identifiers and names of other people's data, so it is never stored itself.
 */
export function pathTemplateOf({ url, prefixPath }: Target, templates: readonly string[]): string {
  const template = bestTemplate(url.pathname, templates);
  if (template !== undefined) return template;
  const rest = url.pathname.slice(prefixPath.length);
  if (rest === "" || rest === "/") return prefixPath === "" ? "/" : prefixPath;
  return `${prefixPath}/{…}`;
}

/** The fitting template with the most literal segments; of equals the one whose literals come first. */
function bestTemplate(path: string, templates: readonly string[]): string | undefined {
  const segments = segmentsOf(path);
  const fitting = templates
    .map((template) => ({ template, marks: fit(segmentsOf(template), segments) }))
    .filter((candidate): candidate is { template: string; marks: string } => candidate.marks !== undefined)
    .sort((a, b) => literals(b.marks) - literals(a.marks) || (a.marks < b.marks ? 1 : -1));
  return fitting[0]?.template;
}

/** One mark for each segment, `1` for a literal; `undefined` when the template does not fit. */
function fit(template: readonly string[], segments: readonly string[]): string | undefined {
  if (template.length !== segments.length) return undefined;
  const marks = template.map((part, index) => {
    if (isVariable(part)) return segments[index] === "" ? "" : "0";
    return part === segments[index] ? "1" : "";
  });
  return marks.includes("") ? undefined : marks.join("");
}

function literals(marks: string): number {
  return marks.replaceAll("0", "").length;
}

function isVariable(part: string): boolean {
  return part.startsWith("{") && part.endsWith("}");
}

/** A trailing slash makes no difference. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, "").split("/").slice(1);
}
