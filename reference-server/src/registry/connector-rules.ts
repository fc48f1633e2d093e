import { checkTarget, TargetError } from "../forwarding/target.js";
import type { RuleFault } from "../objects/check.js";

/** A suggested address has what a customer replaces in braces: `https://login.example/{tenant id}/token`. */
export function hasPlaceholder(address: string): boolean {
  return /[{}]/.test(address);
}

/** Each entry once: the second one is the fault. */
export function findTwice(values: readonly string[], member: readonly string[] = []): RuleFault[] {
  return values.flatMap((value, index): RuleFault[] =>
    values.indexOf(value) === index ? [] : [{ path: [index, ...member], code: "twice", values: { value } }],
  );
}

/**
 * What is wrong with the addresses that requests may go to. Each is written as it is compared, and none says what another
 * one says already.
 *
 * @param prefixes - absolute addresses without credentials, query or fragment
 * @param issuer - this server, where a third party's token has nothing to do
 */
export function findPrefixFaults(prefixes: readonly string[], issuer: string): RuleFault[] {
  return prefixes.flatMap((prefix, index): RuleFault[] => {
    const found = findPrefixFault(prefix, { others: prefixes.slice(0, index), issuer });
    return found === undefined ? [] : [{ path: [index], ...found }];
  });
}

function findPrefixFault(
  prefix: string,
  { others, issuer }: { readonly others: readonly string[]; readonly issuer: string },
): Omit<RuleFault, "path"> | undefined {
  // An address that is none has its own fault.
  if (!URL.canParse(prefix)) return undefined;
  const { href, origin } = new URL(prefix);
  const canonical = href.replace(/\/+$/, "");
  if (prefix !== canonical) return { code: "prefixForm", values: { form: canonical } };
  if (!canBeTarget(prefix)) return { code: "prefixTarget" };
  if (origin === new URL(issuer).origin) return { code: "ownServer", values: { issuer } };
  if (others.includes(prefix)) return { code: "twice", values: { value: prefix } };
  const wider = others.find((other) => prefix.startsWith(`${other}/`));
  if (wider !== undefined) return { code: "prefixAllowed", values: { prefix: wider } };
  const narrower = others.find((other) => other.startsWith(`${prefix}/`));
  return narrower === undefined ? undefined : { code: "prefixAllows", values: { prefix: narrower } };
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
export function findTemplateFaults(templates: readonly string[]): RuleFault[] {
  const shapes = templates.map((template) => template.replaceAll(/\{[^{}]*\}/g, "{}"));
  return templates.flatMap((template, index): RuleFault[] => {
    if (!isTemplate(template)) return [{ path: [index], code: "pathTemplate" }];
    const first = shapes.indexOf(shapes[index] ?? "");
    const twin = { path: templates[first] ?? "" };
    return first === index ? [] : [{ path: [index], code: "templateTwin", values: twin }];
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
export function findParameterFaults(parameters: Readonly<Record<string, string>>): RuleFault[] {
  const entries = Object.entries(parameters);
  const tooMany: RuleFault[] =
    entries.length > maximumParameters
      ? [{ path: [], code: "itemsMost", values: { count: maximumParameters } }]
      : [];
  return [
    ...tooMany,
    ...entries.flatMap(([name, value]): RuleFault[] => {
      const found = findParameterFault(name, value);
      return found === undefined ? [] : [{ path: [name], ...found }];
    }),
  ];
}

function findParameterFault(name: string, value: string): Omit<RuleFault, "path"> | undefined {
  if (!/^[\w.-]{1,100}$/.test(name)) return { code: "parameterName" };
  if (protocolParameters.has(name.toLowerCase())) return { code: "parameterTaken" };
  if (value.length > 1000) return { code: "charactersMost", values: { count: 1000 } };
  return /\p{Cc}/u.test(value) ? { code: "noControls" } : undefined;
}

/** All of them go into one address, and longer ones get lost on the way. */
const maximumScopeText = 6000;

/** What is wrong with the scopes that people are asked for. */
export function findOfferedScopeFaults(
  scopes: readonly { readonly scope: string; readonly required: boolean; readonly byDefault: boolean }[],
): RuleFault[] {
  const characters = scopes.map(({ scope }) => scope).join(" ").length;
  const tooLong: RuleFault[] =
    characters > maximumScopeText
      ? [{ path: [], code: "longScopes", values: { most: maximumScopeText } }]
      : [];
  const contradictions = scopes.flatMap(({ required, byDefault }, index): RuleFault[] =>
    required && !byDefault ? [{ path: [index, "byDefault"], code: "requiredScope" }] : [],
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
