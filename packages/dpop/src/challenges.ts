/**
 * Parses the challenges of `WWW-Authenticate` headers.
 *
 * @module
 */

/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** The authentication scheme, in lower case. */
  readonly scheme: string;
  /** Parameters by their names in lower case; quoted values are unquoted. Empty for a challenge with a `token68`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Node's limit for all headers of a message. */
const maximumLength = 16_384;

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quotedString = String.raw`"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"`;
const end = "[ \\t]*(?:,|$)";
const parameter = `(?<name>${token})[ \\t]*=[ \\t]*(?:(?<value>${token})|(?<quoted>${quotedString}))`;
/** An element of the list: empty, a parameter of the previous challenge, or the start of a challenge. */
const element = new RegExp(
  `[ \\t]*(?:(?<scheme>${token})(?: +(?! )|(?=${end})))?(?:${parameter}|(?<token68>[0-9A-Za-z._~+/-]+=*))?${end}`,
  "y",
);

/**
 * Parses the values of all `WWW-Authenticate` fields of one response. A field that is malformed, repeats a parameter within a challenge or is
 * longer than 16,384 characters is left out as a whole, because a part of it could have another meaning.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 | RFC 9110 §11.6.1}
 */
export function parseChallenges(fields: string | readonly string[] | undefined): readonly Challenge[] {
  return [fields ?? []].flat().flatMap((field) => parseField(field) ?? []);
}

function parseField(field: string): readonly Challenge[] | undefined {
  if (field.length > maximumLength) return undefined;
  const challenges: { scheme: string; parameters: Map<string, string>; hasToken68: boolean }[] = [];
  let position = 0;
  while (position < field.length) {
    element.lastIndex = position;
    const groups = element.exec(field)?.groups;
    if (groups === undefined) return undefined;
    position = element.lastIndex;
    const { scheme, name, value, quoted, token68 } = groups;
    if (scheme !== undefined)
      challenges.push({
        scheme: scheme.toLowerCase(),
        parameters: new Map(),
        hasToken68: token68 !== undefined,
      });
    else if (token68 !== undefined) return undefined;
    if (name === undefined) continue;
    const challenge = challenges.at(-1);
    const key = name.toLowerCase();
    if (challenge === undefined || challenge.hasToken68 || challenge.parameters.has(key)) return undefined;
    challenge.parameters.set(key, value ?? quoted?.slice(1, -1).replaceAll(/\\(.)/g, "$1") ?? "");
  }
  return challenges.map(({ scheme, parameters }) => ({ scheme, parameters }));
}
