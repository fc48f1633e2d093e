/** A parsed `SKILL.md`: the members of its front matter, those below `metadata`, and the text behind it. */
export interface FrontMatter {
  readonly members: ReadonlyMap<string, string>;
  readonly metadata: ReadonlyMap<string, string>;
  readonly content: string;
}

/** Front matter that was refused; the message names the line. */
export class FrontMatterError extends Error {
  override readonly name = "FrontMatterError";
}

const line = /^( *)([A-Za-z][A-Za-z0-9_-]*):(?: +(\S.*?))? *$/;
/** YAML gives a meaning of its own to values that begin with these. */
const startsOtherwise = /^[[\]{},&*!|>%@`#'"?:-]/;

/**
 * Reads the front matter of a `SKILL.md`: `name: value` with plain or quoted one-line values, and `metadata` with members two spaces in.
 * The rest of YAML is refused, so that no other parser reads it differently.
 *
 * @throws {FrontMatterError}
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end === -1)
    throw new FrontMatterError('It must begin with front matter between two lines "---".');
  const members = new Map<string, string>();
  const metadata = new Map<string, string>();
  let inMetadata = false;
  for (const [index, written] of lines.slice(1, end).entries()) {
    if (written.trim() === "" || written.trimStart().startsWith("#")) continue;
    const place = `Line ${String(index + 2)}`;
    const [, indent = "", name = "", value] = line.exec(written) ?? [];
    if (name === "" || (indent !== "" && !(inMetadata && indent === "  ")))
      throw new FrontMatterError(`${place} must be "name: value"; below metadata, two spaces further in.`);
    const target = indent === "" ? members : metadata;
    if (target.has(name)) throw new FrontMatterError(`${place} has "${name}" for the second time.`);
    if (indent === "") inMetadata = name === "metadata";
    if (inMetadata && indent === "") {
      if (value !== undefined) throw new FrontMatterError(`${place}: metadata must have members.`);
      members.set(name, "");
    } else target.set(name, readScalar(value ?? "", place));
  }
  const content = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  return { members, metadata, content };
}

function readScalar(value: string, place: string): string {
  if (value.startsWith('"')) {
    try {
      return String(JSON.parse(value));
    } catch {
      throw new FrontMatterError(`${place}: what is in double quotes must be written as in JSON.`);
    }
  }
  if (/^'(?:[^']|'')*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  if (startsOtherwise.test(value) || /: | #|:$/.test(value))
    throw new FrontMatterError(`${place}: put the value in double quotes, on one line.`);
  return value;
}
