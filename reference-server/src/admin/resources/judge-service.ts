import { importPublicJwk, JwsError } from "@authz/dpop/jws";
import type { ResourcePrefix } from "../../store/resource-list.js";
import type { PublishedKey, ServiceFindings } from "./read-service.js";
import type { InspectionCheck, InspectionCheckId } from "./schemas.js";

/** What this installation knows already. */
export interface KnownRegistry {
  readonly clientId: string;
  readonly knownScopes: ReadonlySet<string>;
  /** Of other resources, on the same origin. */
  readonly prefixes: readonly ResourcePrefix[];
  /** The key of the resource that has this identifier. */
  readonly registeredAs: string | undefined;
}

/** What one check found. */
type Judgement = Omit<InspectionCheck, "id" | "title">;
type Judge = (findings: ServiceFindings, known: KnownRegistry) => Judgement;

const idJag = "urn:ietf:params:oauth:grant-profile:id-jag";
const assertionGrants = [
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:jwt-dpop",
];
const scopePattern = /^[a-z0-9-]+:[a-z0-9-]+$/;

const passed = (detail: string): Judgement => ({ state: "passed", detail });
const warning = (detail: string, remedy: string): Judgement => ({ state: "warning", detail, remedy });
const failed = (detail: string, remedy: string): Judgement => ({ state: "failed", detail, remedy });
const routesRemedy = "Mount the routes of the SDK on the service's own origin: registerRoutes(app).";
const earlier: Judgement = {
  state: "failed",
  detail: "This cannot be looked at before the metadata can be read.",
};

const judges: Readonly<Record<InspectionCheckId, { readonly title: string; readonly judge: Judge }>> = {
  reachable: { title: "The service answers", judge: judgeReachable },
  resource_metadata: { title: "Metadata of the resource", judge: judgeResourceMetadata },
  authorization_server_metadata: {
    title: "Metadata of its authorization server",
    judge: judgeServerMetadata,
  },
  identifiers: { title: "Identifiers match", judge: judgeIdentifiers },
  grants: { title: "Takes identity assertions bound to a key", judge: judgeGrants },
  signing_keys: { title: "Signing keys", judge: judgeKeys },
  client_id: { title: "Client", judge: judgeClient },
  scopes: { title: "Scopes", judge: judgeScopes },
  skills: { title: "Skills", judge: judgeSkills },
  request_prefixes: { title: "Addresses that clients may call", judge: judgePrefixes },
};

/** Judges what a service says about itself, one check after the other. */
export function judgeService(findings: ServiceFindings, known: KnownRegistry): InspectionCheck[] {
  return Object.entries(judges).map(([id, { title, judge }]) => ({
    id: id as InspectionCheckId,
    title,
    ...judge(findings, known),
  }));
}

function judgeReachable({ origin, resourceMetadata, serverMetadata }: ServiceFindings): Judgement {
  const { fault } = resourceMetadata;
  if (fault !== undefined && "unreachable" in resourceMetadata && "unreachable" in serverMetadata) {
    return failed(fault, "Check the address, the certificate, and that this server may connect to it.");
  }
  return passed(`${origin} answers.`);
}

function judgeResourceMetadata({ resourceMetadata: { value, fault } }: ServiceFindings): Judgement {
  if (value === undefined) return failed(fault, routesRemedy);
  return passed(`It protects ${value.resource}.`);
}

function judgeServerMetadata({ serverMetadata: { value, fault } }: ServiceFindings): Judgement {
  if (value === undefined) return failed(fault, routesRemedy);
  return passed(`Its issuer is ${value.issuer}.`);
}

function judgeIdentifiers(
  { origin, resourceMetadata, serverMetadata }: ServiceFindings,
  { registeredAs }: KnownRegistry,
): Judgement {
  const resource = resourceMetadata.value;
  const server = serverMetadata.value;
  if (resource === undefined || server === undefined) return earlier;
  const publicOrigin =
    "Set the option publicOrigin of the service to the origin under which clients reach it.";
  if (server.issuer !== origin) {
    return failed(`The issuer is ${server.issuer}, but the service was asked at ${origin}.`, publicOrigin);
  }
  if (resource.authorization_servers[0] !== origin) {
    const [named] = resource.authorization_servers;
    return failed(`The resource names ${named} as its authorization server, not ${origin}.`, publicOrigin);
  }
  const foreign = [resource.resource, server.token_endpoint, server.jwks_uri].find(
    (url) => !URL.canParse(url) || new URL(url).origin !== origin,
  );
  if (foreign !== undefined) return failed(`${foreign} is not on ${origin}.`, publicOrigin);
  if (registeredAs !== undefined) {
    const remedy = "Change that resource, or give this service an identifier of its own.";
    return failed(`${resource.resource} is already registered as "${registeredAs}".`, remedy);
  }
  return passed(`Resource, issuer and endpoints all belong to ${origin}.`);
}

function judgeGrants({ serverMetadata: { value } }: ServiceFindings): Judgement {
  if (value === undefined) return earlier;
  const offersGrant = assertionGrants.some((grant) => value.grant_types_supported.includes(grant));
  if (!offersGrant || !value.authorization_grant_profiles_supported.includes(idJag)) {
    return failed("It does not offer to take identity assertions (ID-JAG).", routesRemedy);
  }
  if (!value.dpop_signing_alg_values_supported.includes("ES256")) {
    return failed("It does not offer DPoP with ES256.", "Update the SDK of the service.");
  }
  return passed("It takes identity assertions, and DPoP with ES256.");
}

function judgeKeys({ keys: { value, fault } }: ServiceFindings): Judgement {
  if (value === undefined) return failed(fault, routesRemedy);
  const remedy = "Publish the public key only: generateEs256KeyPair() makes a matching pair.";
  if (value.length === 0) return failed("The key set is empty.", remedy);
  for (const key of value) {
    const keyFault = faultOfKey(key);
    if (keyFault !== undefined) return failed(`The key ${nameOf(key)} ${keyFault}.`, remedy);
  }
  return passed(value.length === 1 ? "One ES256 key, public." : `${value.length} ES256 keys, public.`);
}

function nameOf({ kid }: PublishedKey): string {
  return typeof kid === "string" ? `"${kid}"` : "without a kid";
}

function faultOfKey(key: PublishedKey): string | undefined {
  if ("d" in key) return "is published with its private part: replace it at once";
  if (typeof key.kid !== "string") return "has no kid";
  try {
    importPublicJwk(key);
    return undefined;
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    return `is not a public P-256 key for ES256 (${error.reason})`;
  }
}

function judgeClient(_findings: ServiceFindings, { clientId }: KnownRegistry): Judgement {
  return passed(
    `Assertions will name the client "${clientId}". A service does not publish which one it expects: compare it with its option clientId.`,
  );
}

function judgeScopes(
  { resourceMetadata: { value } }: ServiceFindings,
  { knownScopes }: KnownRegistry,
): Judgement {
  if (value === undefined) return earlier;
  const scopes = value.scopes_supported;
  const malformed = scopes.filter((scope) => !scopePattern.test(scope));
  if (malformed.length > 0) {
    const remedy = 'Name scopes "namespace:permission", such as contracts:read.';
    return failed(`These cannot be scopes here: ${malformed.slice(0, 5).join(", ")}.`, remedy);
  }
  if (scopes.length === 0) {
    return warning("It names no scopes, so nobody can be given anything there.", "Set its supportedScopes.");
  }
  const unknown = scopes.filter((scope) => !knownScopes.has(scope));
  if (unknown.length > 0) {
    return warning(`Not known here yet: ${unknown.join(", ")}.`, "Create them before the resource is saved.");
  }
  return passed(`All known here: ${scopes.join(", ")}.`);
}

function judgeSkills({ resourceMetadata, skills }: ServiceFindings): Judgement {
  if (resourceMetadata.value === undefined) return earlier;
  if (skills === undefined) return passed("It publishes no skills.");
  if (skills.value === undefined) {
    const remedy = "Check the issuer that the service was set up with, and the items of its catalog.";
    return warning(skills.fault, remedy);
  }
  const { length } = skills.value;
  return passed(`${length} ${length === 1 ? "skill" : "skills"}. The service trusts this server's keys.`);
}

function judgePrefixes(
  { resourceMetadata: { value } }: ServiceFindings,
  { prefixes }: KnownRegistry,
): Judgement {
  if (value === undefined) return earlier;
  const wanted = value.resource;
  const same = prefixes.find(({ prefix }) => prefix === wanted);
  if (same !== undefined) {
    const remedy = "Two resources cannot have the same prefix: give one of them a narrower one.";
    return failed(`${wanted} already belongs to the resource "${same.key}".`, remedy);
  }
  const nested = prefixes.find(({ prefix }) => covers(prefix, wanted) || covers(wanted, prefix));
  if (nested !== undefined) {
    const remedy = "Clients take the longest prefix that matches. Make sure that this is meant.";
    return warning(`${wanted} and ${nested.prefix} of "${nested.key}" lie in each other.`, remedy);
  }
  return passed(`Clients may call everything below ${wanted}.`);
}

function covers(prefix: string, url: string): boolean {
  return url.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
