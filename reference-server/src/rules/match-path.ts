/**
 * How a template compares with a path. `unclear`: the service may read the path in another way.
 */
export type PathMatch = "yes" | "no" | "unclear";

const restForm = "{...}";
const variable = /^\{[A-Za-z]\w*\}$/;
/** A server behind a gateway may decode a second time. */
const encodedTwice = /%25(?:25)*[0-9a-f]{2}/i;

/** Whether a path template of a rule can be one: absolute, with variables as whole segments. */
export function isPathTemplate(template: string): boolean {
  if (template === "/") return true;
  if (!template.startsWith("/")) return false;
  const segments = template.slice(1).split("/");
  return segments.every((segment, index) => {
    if (segment === restForm) return index === segments.length - 1;
    if (variable.test(segment)) return true;
    return /^[A-Za-z0-9\-._~!$&'()*+,=:@]+$/.test(segment) && segment !== "." && segment !== "..";
  });
}

/**
 * Compares a template with the path that is sent. Servers differ in case, parameters (`;x`), trailing slashes and suffixes (`.json`):
 * a rule that holds calls back covers all of these spellings, and one that allows them only its own.
 *
 * @param path - as `parseTarget` accepts it: no dot segments, no encoded slashes, complete encodings of UTF-8
 */
export function matchPath(template: string, path: string, isStrict: boolean): PathMatch {
  if (encodedTwice.test(path)) return "unclear";
  const wanted = segmentsOf(template);
  const isOpen = wanted.at(-1) === restForm;
  const literals = isOpen ? wanted.slice(0, -1) : wanted;
  const read = isStrict ? decodeURIComponent : fold;
  const sent = segmentsOf(path).map(read);
  if (isOpen ? sent.length < literals.length : sent.length !== literals.length) return "no";
  const fits = literals.every((literal, index) => {
    const segment = sent[index] ?? "";
    if (variable.test(literal)) return segment !== "";
    const expected = read(literal);
    const isLast = !isStrict && index === sent.length - 1;
    return segment === expected || (isLast && segment.startsWith(`${expected}.`));
  });
  return fits ? "yes" : "no";
}

/**
 * Compares a template of a rule with one of the audit trail, in which variables may stand for anything, and `{…}` at the end for any
 * remainder.
 */
export function matchTemplate(template: string, kept: string, isStrict: boolean): PathMatch {
  const all = segmentsOf(kept);
  const isCut = all.at(-1) === "{…}";
  const sent = isCut ? all.slice(0, -1) : all;
  const wanted = segmentsOf(template);
  const isOpen = wanted.at(-1) === restForm;
  const literals = isOpen ? wanted.slice(0, -1) : wanted;
  const isTooShort = sent.length < literals.length && !isCut;
  const isTooLong = sent.length > literals.length && !isOpen;
  if (isTooShort || isTooLong) return "no";
  const compared = literals.slice(0, sent.length).map((literal, index) => {
    const segment = sent[index] ?? "";
    if (variable.test(literal)) return "yes";
    if (/^\{.*\}$/.test(segment)) return "unclear";
    return matchPath(`/${literal}`, `/${segment}`, isStrict);
  });
  if (compared.includes("no")) return "no";
  const dependsOnRest = isCut && !(isOpen && sent.length >= literals.length);
  return dependsOnRest || compared.includes("unclear") ? "unclear" : "yes";
}

/** A segment as the most lenient server reads it. */
function fold(segment: string): string {
  const [name = ""] = decodeURIComponent(segment).split(";", 1);
  return name.normalize("NFKC").toLowerCase();
}

/** A trailing slash makes no difference. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, "").split("/").slice(1);
}
