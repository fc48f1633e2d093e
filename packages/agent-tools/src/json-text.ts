/*
 * JSON as text, which is handed on and never rebuilt: parsing would round large numbers, drop all but the last of several members with one
 * name, and end at a depth that depends on the stack. Each function expects valid JSON.
 */

/** The same text without white space between values. */
export function compactJson(json: string): string {
  let compact = "";
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? "";
    if (character === '"') at = endOfString(json, at);
    else if (character <= " ") {
      compact += json.slice(from, at);
      from = at + 1;
    }
  }
  return compact + json.slice(from);
}

/** A deeper level is not indented further, so that the text stays proportional to what it shows. */
const deepestIndent = 100;

/** A compact text with a line for each item and member, as `JSON.stringify` indents by two spaces. */
export function indentJson(json: string): string {
  let shown = "";
  let from = 0;
  let depth = 0;
  const breakLine = (to: number): void => {
    shown += `${json.slice(from, to)}\n${"  ".repeat(Math.min(depth, deepestIndent))}`;
    from = to;
  };
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? "";
    if (character === '"') at = endOfString(json, at);
    else if (character === ",") breakLine(at + 1);
    else if (character === ":") {
      shown += `${json.slice(from, at + 1)} `;
      from = at + 1;
    } else if (character === "{" || character === "[") {
      const next = json[at + 1];
      if (next === "}" || next === "]") at += 1;
      else {
        depth += 1;
        breakLine(at + 1);
      }
    } else if (character === "}" || character === "]") {
      depth -= 1;
      breakLine(at);
    }
  }
  return shown + json.slice(from);
}

/** The items of a compact list, each as its text; undefined for anything else. */
export function itemsOf(json: string): readonly string[] | undefined {
  return json.startsWith("[") ? partsOf(json) : undefined;
}

/** The members of a compact object, each value as its text; of several with one name the last. */
export function membersOf(json: string): ReadonlyMap<string, string> {
  const parts = json.startsWith("{") ? partsOf(json) : [];
  return new Map(
    parts.map((part) => {
      const end = endOfString(part, 0) + 1;
      return [JSON.parse(part.slice(0, end)) as string, part.slice(end + 1)];
    }),
  );
}

/** What the commas of the first level separate. */
function partsOf(json: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? "";
    if (character === '"') at = endOfString(json, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if ((character === "," && depth === 1) || (depth === 0 && at > from)) {
      parts.push(json.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

/** Where the string that begins at a quote ends. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json[before] === "\\") before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
