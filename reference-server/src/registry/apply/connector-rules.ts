import { checkTarget, TargetError } from "../../connectors/use/target.js";

/** One thing that is wrong within a member of a connector; the message stands behind the member's name. */
export interface ConnectorFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const placeholderFault = "has a placeholder in braces; put your own value there";

/** A suggested address has what a customer replaces in braces: `https://login.example/{tenant id}/token`. */
export function hasPlaceholder(address: string): boolean {
  return /[{}]/.test(address);
}

/** Each entry once: the second one is the fault. */
export function findTwice(values: readonly string[], member: readonly string[] = []): ConnectorFault[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) === index
      ? []
      : [{ path: [index, ...member], message: `"${value}" appears twice` }],
  );
}

/**
 * What is wrong with the addresses that requests may go to. Each is written as it is compared, and none says what another
 * one says already.
 *
 * @param prefixes - absolute addresses without credentials, query or fragment
 * @param issuer - this server, where a third party's token has nothing to do
 */
export function findPrefixFaults(prefixes: readonly string[], issuer: string): ConnectorFault[] {
  return prefixes.flatMap((prefix, index) => {
    const message = describePrefixFault(prefix, { others: prefixes.slice(0, index), issuer });
    return message === undefined ? [] : [{ path: [index], message }];
  });
}

function describePrefixFault(
  prefix: string,
  { others, issuer }: { readonly others: readonly string[]; readonly issuer: string },
): string | undefined {
  // An address that is none has its own fault.
  if (!URL.canParse(prefix)) return undefined;
  const { href, origin } = new URL(prefix);
  const canonical = href.replace(/\/+$/, "");
  if (prefix !== canonical) return `must be written as it is compared: ${canonical}`;
  if (!canBeTarget(prefix)) {
    return "must be an address that a request can have: a plain host, and no empty, dotted or encoded segments";
  }
  if (origin === new URL(issuer).origin) {
    return `must not be below ${issuer}: that is this server itself, not a service`;
  }
  if (others.includes(prefix)) return `"${prefix}" appears twice`;
  const wider = others.find((other) => prefix.startsWith(`${other}/`));
  if (wider !== undefined) return `is allowed by "${wider}" already`;
  const narrower = others.find((other) => other.startsWith(`${prefix}/`));
  return narrower === undefined ? undefined : `allows what "${narrower}" allows already; keep one of them`;
}

/** What no request can have, no request can be compared with. */
function canBeTarget(prefix: string): boolean {
  try {
    checkTarget([prefix], { requestPrefixes: [prefix], allowInsecureLoopback: true });
    return true;
  } catch (error) {
    if (error instanceof TargetError) return false;
    throw error;
  }
}

const literal = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%]+$/;
const parameter = /^\{[A-Za-z]\w*\}$/;

/** What is wrong with the templates that name paths in the audit trail: `/repos/{owner}/{repo}`. */
export function findTemplateFaults(templates: readonly string[]): ConnectorFault[] {
  const shapes = templates.map((template) => template.replaceAll(/\{[^{}]*\}/g, "{}"));
  return templates.flatMap((template, index) => {
    if (!isTemplate(template)) {
      const message =
        "must be a path of whole segments, each a text or a name in braces, such as /repos/{owner}";
      return [{ path: [index], message }];
    }
    const first = shapes.indexOf(shapes[index] ?? "");
    return first === index
      ? []
      : [{ path: [index], message: `stands for the same paths as "${templates[first]}"` }];
  });
}

function isTemplate(template: string): boolean {
  if (template === "/") return true;
  if (!template.startsWith("/")) return false;
  const segments = template.slice(1).split("/");
  return segments.every(
    (segment) => parameter.test(segment) || (literal.test(segment) && segment !== "." && segment !== ".."),
  );
}

/** The parameters of an authorization request that the server makes anew for every attempt, and their like. */
const protocolParameters: ReadonlySet<string> = new Set([
  "access_token",
  "client_assertion",
  "client_assertion_type",
  "client_id",
  "client_secret",
  "code",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "dpop_jkt",
  "error",
  "grant_type",
  "id_token_hint",
  "iss",
  "nonce",
  "redirect_uri",
  "refresh_token",
  "registration",
  "request",
  "request_uri",
  "response_mode",
  "response_type",
  "scope",
  "state",
  "user_scope",
]);

const maximumParameters = 20;

/** What is wrong with the parameters that an administrator adds to the authorization request. */
export function findParameterFaults(parameters: Readonly<Record<string, string>>): ConnectorFault[] {
  const entries = Object.entries(parameters);
  const tooMany =
    entries.length > maximumParameters
      ? [{ path: [], message: `must have at most ${maximumParameters} items` }]
      : [];
  return [
    ...tooMany,
    ...entries.flatMap(([name, value]) => {
      const message = describeParameterFault(name, value);
      return message === undefined ? [] : [{ path: [name], message }];
    }),
  ];
}

function describeParameterFault(name: string, value: string): string | undefined {
  if (!/^[\w.-]{1,100}$/.test(name))
    return "must have a name of at most 100 letters, digits, dots, hyphens and underscores";
  if (protocolParameters.has(name.toLowerCase())) return "is a parameter that the server sets itself";
  if (value.length > 1000) return "must have at most 1000 characters";
  return /\p{Cc}/u.test(value) ? "must not contain control characters" : undefined;
}

/** All of them go into one address, and longer ones get lost on the way. */
const maximumScopeText = 6000;

/** What is wrong with the scopes that people are asked for. */
export function findOfferedScopeFaults(
  scopes: readonly { readonly scope: string; readonly required: boolean; readonly byDefault: boolean }[],
): ConnectorFault[] {
  const characters = scopes.map(({ scope }) => scope).join(" ").length;
  const tooLong =
    characters > maximumScopeText
      ? [{ path: [], message: `must have at most ${maximumScopeText} characters altogether` }]
      : [];
  const contradictions = scopes.flatMap(({ required, byDefault }, index) =>
    required && !byDefault
      ? [{ path: [index, "byDefault"], message: "must be true: a required scope is always asked for" }]
      : [],
  );
  return [
    ...tooLong,
    ...findTwice(
      scopes.map(({ scope }) => scope),
      ["scope"],
    ),
    ...contradictions,
  ];
}
