import { type Comparison, comparisonOperators, type Filter, type FilterValue } from "../store/scim-filter.js";
import { refused } from "./scim-error.js";

/** An attribute as `path` of a PATCH operation names it (RFC 7644 §3.5.2). */
export interface AttributePath {
  readonly attribute: string;
  readonly filter: Filter | undefined;
  readonly sub: string | undefined;
}

/** Vendors send one or two terms; the bounds keep a filter from becoming work. */
const limits = { length: 2048, depth: 8, terms: 32 } as const;

/**
 * One token at a time, each alternative beginning with another character, so that matching is linear. A value is JSON and is decoded by
 * `JSON.parse`; `$ref` is the only name that begins with a sign.
 */
const tokenPattern =
  /\s*(?:([()[\]])|("(?:[^"\\\p{Cc}]|\\.)*")|(-?\d[\d.eE+-]*)|([A-Za-z$][\w$:.-]*)|(\.))/uy;

interface Token {
  readonly kind: "bracket" | "text" | "number" | "word" | "dot" | "end";
  readonly text: string;
}

/**
 * Parses a filter.
 *
 * @param schema - the URN of the resource's own schema, which may precede names
 * @throws {ScimError} `invalidFilter`
 */
export function parseFilter(text: string, schema: string): Filter {
  const tokens = createTokens(text, schema);
  const filter = tokens.readOr(0);
  tokens.expectEnd();
  return filter;
}

/** Parses `members[value eq "…"]`, `emails[type eq "work"].value`, `name.givenName` or `active`. @throws {ScimError} `invalidPath` */
export function parsePath(text: string, schema: string): AttributePath {
  const bracket = text.indexOf("[");
  if (text.length > limits.length) throw refused("invalidPath", "The path is too long.");
  if (bracket === -1) {
    const [attribute = "", sub, ...more] = splitName(text, schema);
    if (!isName(attribute) || (sub !== undefined && !isName(sub)) || more.length > 0) throw invalidPath(text);
    return { attribute, filter: undefined, sub };
  }
  const end = text.lastIndexOf("]");
  const [attribute = "", ...nested] = splitName(text.slice(0, bracket), schema);
  const rest = text.slice(end + 1);
  const sub = rest === "" ? undefined : rest.slice(1).toLowerCase();
  if (end < bracket || !isName(attribute) || nested.length > 0) throw invalidPath(text);
  if (sub !== undefined && (!rest.startsWith(".") || !isName(sub))) throw invalidPath(text);
  return { attribute, filter: parseFilter(text.slice(bracket + 1, end), schema), sub };
}

function invalidPath(text: string) {
  return refused("invalidPath", `"${text.slice(0, 100)}" is no path of an attribute.`);
}

function isName(text: string): boolean {
  return /^[a-z$][\w$-]*$/.test(text) || text.startsWith("urn:");
}

/** The parts of a name in lower case. A name of another schema keeps its URN, and is one part with it. */
function splitName(name: string, schema: string): readonly string[] {
  const lower = name.toLowerCase();
  const own = `${schema.toLowerCase()}:`;
  const plain = lower.startsWith(own) ? lower.slice(own.length) : lower;
  return plain.startsWith("urn:") ? [plain] : plain.split(".");
}

function createTokens(text: string, schema: string) {
  if (text.length > limits.length) {
    throw refused("invalidFilter", `A filter has at most ${limits.length} characters.`);
  }
  let position = 0;
  let terms = 0;
  let next = read();
  const peek = (): Token => next;

  function read(): Token {
    tokenPattern.lastIndex = position;
    const match = tokenPattern.exec(text);
    if (match === null) {
      if (text.slice(position).trim() === "") return { kind: "end", text: "" };
      throw unreadable();
    }
    position = tokenPattern.lastIndex;
    const [, bracket, quoted, number, word, dot] = match;
    if (bracket !== undefined) return { kind: "bracket", text: bracket };
    if (quoted !== undefined) return { kind: "text", text: quoted };
    if (number !== undefined) return { kind: "number", text: number };
    if (word !== undefined) return { kind: "word", text: word };
    return { kind: "dot", text: dot ?? "" };
  }

  function unreadable() {
    return refused("invalidFilter", `The filter cannot be read near character ${position + 1}.`);
  }

  function shift(): Token {
    const token = next;
    next = read();
    return token;
  }

  function isWord(token: Token, word: string): boolean {
    return token.kind === "word" && token.text.toLowerCase() === word;
  }

  function expect(bracket: string): void {
    if (peek().kind !== "bracket" || peek().text !== bracket) throw unreadable();
    shift();
  }

  function expectEnd(): void {
    if (peek().kind !== "end") throw unreadable();
  }

  function readOr(depth: number): Filter {
    return readSeries("or", depth);
  }

  function readSeries(op: "and" | "or", depth: number): Filter {
    if (depth > limits.depth) {
      throw refused("invalidFilter", `A filter is nested at most ${limits.depth} levels deep.`);
    }
    const readPart = () => (op === "or" ? readSeries("and", depth) : readTerm(depth));
    const first = readPart();
    const filters = [first];
    while (isWord(peek(), op)) {
      shift();
      filters.push(readPart());
    }
    return filters.length === 1 ? first : { op, filters };
  }

  function readTerm(depth: number): Filter {
    terms += 1;
    if (terms > limits.terms) {
      throw refused("invalidFilter", `A filter has at most ${limits.terms} terms.`);
    }
    if (isWord(peek(), "not")) {
      shift();
      expect("(");
      const filter = readOr(depth + 1);
      expect(")");
      return { op: "not", filter };
    }
    if (peek().kind === "bracket") {
      expect("(");
      const filter = readOr(depth + 1);
      expect(")");
      return filter;
    }
    return readAttribute(depth);
  }

  function readAttribute(depth: number): Filter {
    const name = shift();
    if (name.kind !== "word") throw unreadable();
    const attribute = splitName(name.text, schema).join(".");
    if (peek().kind !== "bracket" || peek().text !== "[") return readComparison(attribute);
    expect("[");
    const filter = readOr(depth + 1);
    expect("]");
    if (peek().kind !== "dot") return { op: "some", attribute, filter, compared: undefined };
    shift();
    const sub = shift();
    if (sub.kind !== "word") throw unreadable();
    return { op: "some", attribute, filter, compared: readComparison(sub.text.toLowerCase()) };
  }

  function readComparison(attribute: string): Comparison {
    const operator = shift();
    const op = operator.kind === "word" ? operator.text.toLowerCase() : "";
    if (op === "pr") return { op, attribute };
    const known = comparisonOperators.find((candidate) => candidate === op);
    if (known === undefined) throw unreadable();
    return { op: known, attribute, value: readValue(shift()) };
  }

  function readValue({ kind, text: written }: Token): FilterValue {
    if (kind === "word" && !["true", "false", "null"].includes(written)) throw unreadable();
    if (kind !== "word" && kind !== "text" && kind !== "number") throw unreadable();
    try {
      return JSON.parse(written) as FilterValue;
    } catch {
      throw unreadable();
    }
  }

  return { readOr, expectEnd };
}
