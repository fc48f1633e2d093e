import type { Message, MessageValues } from "../../text/message.js";
import type { CodeBelow } from "../../text/message-key.js";
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
export function checkSvg(text: string): Message | undefined {
  const source = text
    .replace(/^\uFEFF/, "")
    .replace(declaration, "")
    .trim();
  if (/[^\t\n\r\P{Cc}]/u.test(source)) return logoFault("controls");
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
    if (cuts && open.at(-1) === "style") return logoFault("styleOther");
    if (skipped !== undefined) at += skipped[0].length;
    else if (end !== undefined) {
      if (open.pop() !== end[1]) return logoFault("strayEnd");
      ended ||= open.length === 0;
      at += end[0].length;
    } else if (start !== undefined) {
      const [tag, name = "", attributes = "", empty] = start;
      count += 1;
      const wrong = ended
        ? logoFault("roots")
        : (checkElement(name, open.length) ?? checkAttributes(attributes, open.length === 0));
      if (wrong !== undefined) return wrong;
      if (count > maximumElements) return logoFault("manyElements");
      if (empty === "") open.push(name);
      else ended ||= open.length === 0;
      at += tag.length;
    } else return describeMarkup(source.slice(at, at + 12));
  }
  return ended && open.length === 0 ? undefined : logoFault("noEnd");
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}

function describeMarkup(start: string): Message {
  if (/^<!DOCTYPE/i.test(start)) return logoFault("documentType");
  if (start.startsWith("<!")) return logoFault("section");
  if (start.startsWith("<?")) return logoFault("instruction");
  if (/^<\/?[A-Za-z][\w.-]*:/.test(start)) return logoFault("otherElements");
  return logoFault("notXml");
}

function checkElement(name: string, depth: number): Message | undefined {
  if (depth === 0 && name !== "svg") return logoFault("notSvg");
  if (depth >= maximumDepth) return logoFault("deep");
  return elements.has(name) ? undefined : logoFault("element", { name });
}

function checkAttributes(text: string, isRoot: boolean): Message | undefined {
  const seen = new Set<string>();
  for (const [, name = "", double, single] of text.matchAll(attribute)) {
    if (seen.has(name)) return logoFault("attributeTwice", { name });
    seen.add(name);
    const value = decode(double ?? single ?? "");
    if (value === undefined) return logoFault("entity");
    const fault = checkAttribute(name, value);
    if (fault !== undefined) return fault;
  }
  return isRoot && !seen.has("xmlns") ? logoFault("namespace", { namespace: svgNamespace }) : undefined;
}

function checkAttribute(name: string, value: string): Message | undefined {
  if (/^on/i.test(name)) return logoFault("eventHandler", { name });
  if (name === "xmlns" || name.startsWith("xmlns:")) {
    const known = Object.hasOwn(namespaces, name) && namespaces[name] === value;
    return known ? undefined : logoFault("vocabulary", { name });
  }
  if (name.includes(":") && !prefixed.has(name)) return logoFault("attribute", { name });
  if (links.has(name)) return value.startsWith("#") ? undefined : logoFault("outside", { value: name });
  return checkStyle(value);
}

/** For everything that can hold CSS: no address but one in the file itself, and no way to hide another. */
function checkStyle(value: string): Message | undefined {
  if (/[\\@]/.test(value)) return logoFault("styleEscape");
  if (/url\s*\((?!\s*["']?#)/i.test(value)) return logoFault("outside", { value: "url()" });
  return /(?:javascript|vbscript|data)\s*:|(?:expression|image(?:-set)?|src)\s*\(/i.test(value)
    ? logoFault("styleAddress")
    : undefined;
}

function checkText(text: string, parent: string | undefined): Message | undefined {
  const decoded = decode(text);
  if (decoded === undefined) return logoFault("entity");
  if (parent === undefined) return decoded.trim() === "" ? undefined : logoFault("notSvg");
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

/** What is wrong with an image, behind "The image". */
export function logoFault(code: CodeBelow<"administration.logo">, values: MessageValues = {}): Message {
  return { key: `administration.logo.${code}`, values };
}
