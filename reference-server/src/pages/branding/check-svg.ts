/**
 * What a logo may consist of: shapes, text, paints and effects that stand in the file itself. Everything else is refused,
 * so nothing has to be known about what browsers do with it: scripts, events, links, foreign content, animation, and
 * `use`, whose nesting can keep a browser busy for ever.
 */
const elements: ReadonlySet<string> = new Set(
  [
    "svg g defs symbol title desc style",
    "path rect circle ellipse line polyline polygon text tspan",
    "linearGradient radialGradient stop clipPath mask filter",
    "feBlend feColorMatrix feComposite feDropShadow feFlood feGaussianBlur feMerge feMergeNode feOffset",
  ].flatMap((names) => names.split(" ")),
);

const svgNamespace = "http://www.w3.org/2000/svg";
const namespaces: Readonly<Record<string, string>> = {
  xmlns: svgNamespace,
  "xmlns:xlink": "http://www.w3.org/1999/xlink",
};
const links: ReadonlySet<string> = new Set(["href", "xlink:href"]);
const prefixed: ReadonlySet<string> = new Set(["xlink:href", "xml:space", "xml:lang"]);
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const maximumElements = 5_000;
const maximumDepth = 50;

const declaration =
  /^<\?xml version=["']1\.0["'](?: encoding=["']utf-8["'])?(?: standalone=["'](?:yes|no)["'])?\s*\?>/i;
const comment = /<!--(?:(?!--)[^])*-->/y;
const endTag = /<\/([A-Za-z]+)\s*>/y;
const startTag = /<([A-Za-z]+)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const attribute = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Says what is wrong with an SVG image, continuing "The image …"; `undefined` when it is harmless. */
export function checkSvg(text: string): string | undefined {
  const source = text
    .replace(/^\uFEFF/, "")
    .replace(declaration, "")
    .trim();
  if (/[^\t\n\r\P{Cc}]/u.test(source)) return "contains control characters";
  const open: string[] = [];
  let count = 0;
  let ended = false;
  for (let at = 0; at < source.length; ) {
    const rest = source.indexOf("<", at);
    const characters = source.slice(at, rest === -1 ? undefined : rest);
    const fault = checkText(characters, open.at(-1));
    if (fault !== undefined) return fault;
    if (rest === -1) break;
    at = rest;
    const skipped = match(comment, source, at);
    const end = match(endTag, source, at);
    const start = match(startTag, source, at);
    // Either would cut an address into pieces that are each harmless.
    const cuts = skipped !== undefined || start !== undefined;
    if (cuts && open.at(-1) === "style") return "has something else in a style";
    if (skipped !== undefined) at += skipped[0].length;
    else if (end !== undefined) {
      if (open.pop() !== end[1]) return "is not well-formed: an end tag has no beginning";
      ended ||= open.length === 0;
      at += end[0].length;
    } else if (start !== undefined) {
      const [tag, name = "", attributes = "", empty] = start;
      count += 1;
      const wrong = ended
        ? "has more than one root element"
        : (checkElement(name, open.length) ?? checkAttributes(attributes, open.length === 0));
      if (wrong !== undefined) return wrong;
      if (count > maximumElements) return "has too many elements";
      if (empty === "") open.push(name);
      else ended ||= open.length === 0;
      at += tag.length;
    } else return describeMarkup(source.slice(at, at + 12));
  }
  return ended && open.length === 0 ? undefined : "is not well-formed: it does not end";
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}

function describeMarkup(start: string): string {
  if (/^<!DOCTYPE/i.test(start)) return "has a document type; save it as plain SVG without one";
  if (start.startsWith("<!")) return "has a section that is not plain SVG";
  if (start.startsWith("<?")) return "has a processing instruction";
  if (/^<\/?[A-Za-z][\w.-]*:/.test(start)) return "has elements of other vocabularies; save it as plain SVG";
  return "is not well-formed XML";
}

function checkElement(name: string, depth: number): string | undefined {
  if (depth === 0 && name !== "svg") return "is not an SVG image";
  if (depth >= maximumDepth) return "is nested too deeply";
  return elements.has(name) ? undefined : `has the element <${name}>, which a logo cannot have`;
}

function checkAttributes(text: string, isRoot: boolean): string | undefined {
  const seen = new Set<string>();
  for (const [, name = "", double, single] of text.matchAll(attribute)) {
    if (seen.has(name)) return `is not well-formed: the attribute ${name} is there twice`;
    seen.add(name);
    const value = decode(double ?? single ?? "");
    if (value === undefined) return "has an entity that it does not explain";
    const fault = checkAttribute(name, value);
    if (fault !== undefined) return fault;
  }
  return isRoot && !seen.has("xmlns") ? `must have xmlns="${svgNamespace}"` : undefined;
}

function checkAttribute(name: string, value: string): string | undefined {
  if (/^on/i.test(name)) return `has the event handler ${name}`;
  if (name === "xmlns" || name.startsWith("xmlns:")) {
    const known = Object.hasOwn(namespaces, name) && namespaces[name] === value;
    return known ? undefined : `has the vocabulary ${name}; save it as plain SVG`;
  }
  if (name.includes(":") && !prefixed.has(name)) return `has the attribute ${name}; save it as plain SVG`;
  if (links.has(name)) return value.startsWith("#") ? undefined : `refers to something outside: ${name}`;
  return checkStyle(value);
}

/** For everything that can hold CSS: no address but one in the file itself, and no way to hide another. */
function checkStyle(value: string): string | undefined {
  if (/[\\@]/.test(value)) return "has a style with an import or an escape";
  if (/url\s*\((?!\s*["']?#)/i.test(value)) return "refers to something outside: url()";
  return /(?:javascript|vbscript|data)\s*:|(?:expression|image(?:-set)?|src)\s*\(/i.test(value)
    ? "has an address or an expression in a style"
    : undefined;
}

function checkText(text: string, parent: string | undefined): string | undefined {
  const decoded = decode(text);
  if (decoded === undefined) return "has an entity that it does not explain";
  if (parent === undefined) return decoded.trim() === "" ? undefined : "is not an SVG image";
  return parent === "style" ? checkStyle(decoded) : undefined;
}

/** `undefined` for an entity that plain XML does not have. */
function decode(text: string): string | undefined {
  let known = true;
  const decoded = text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));|&/gi,
    (_all, decimal, hex, name) => {
      const code = Number.parseInt(String(decimal ?? hex), decimal === undefined ? 16 : 10);
      const character =
        typeof name === "string"
          ? Object.hasOwn(entities, name)
            ? entities[name]
            : undefined
          : characterOf(code);
      known &&= character !== undefined;
      return character ?? "";
    },
  );
  return known ? decoded : undefined;
}

function characterOf(code: number): string | undefined {
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
