import { importPublicJwk, JwsError } from "@authz/dpop/jws";
import { isScope } from "@authz/dpop/jwt";
import type { Resource, ResourcePrefix } from "../../store/resources.js";
import type { Message } from "../../text/message.js";
import { type SayBelow, sayBelow } from "../../text/say-below.js";
import type { PublishedKey, ServiceFindings } from "./read-service.js";
import type { Check } from "./check.js";

/** What is looked at, in this order. */
const serviceCheckIds = [
  "reachable",
  "resource_metadata",
  "authorization_server_metadata",
  "identifiers",
  "grants",
  "signing_keys",
  "client_id",
  "scopes",
  "skills",
  "status_list",
  "request_prefixes",
] as const;
export type ServiceCheckId = (typeof serviceCheckIds)[number];

/** What this installation knows already. */
export interface KnownRegistry {
  /** This server. */
  readonly issuer: string;
  readonly clientId: string;
  readonly knownScopes: ReadonlySet<string>;
  /** Of other resources, on the same origin. */
  readonly prefixes: readonly ResourcePrefix[];
  /** The key of another resource that has this identifier. */
  readonly registeredAs: string | undefined;
  /** As what the service is registered, when it is checked again. */
  readonly own: Pick<Resource, "resource" | "supportedScopes"> | undefined;
}

/** What one check found. */
type Judgement = Omit<Check, "id" | "title">;
type Texts = SayBelow<"administration.inspection">;
interface Case extends ServiceFindings {
  readonly known: KnownRegistry;
  /** It takes tokens of this server and issues none: then it needs nothing but the metadata of its resource. */
  readonly issuesNone: boolean;
  readonly t: Texts;
  readonly say: (message: Message) => string;
}

const idJag = "urn:ietf:params:oauth:grant-profile:id-jag";
const assertionGrants = [
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:jwt-dpop",
];

const passed = (detail: string): Judgement => ({ state: "passed", detail });
const warning = (detail: string, remedy: string): Judgement => ({ state: "warning", detail, remedy });
const failed = (detail: string, remedy: string): Judgement => ({ state: "failed", detail, remedy });
const earlier = (t: Texts): Judgement => ({ state: "unreached", detail: t("earlier") });
const unanswered = (t: Texts): Judgement => ({ state: "unreached", detail: t("unanswered") });

const judges: Readonly<Record<ServiceCheckId, (found: Case) => Judgement>> = {
  reachable: judgeReachable,
  resource_metadata: judgeResourceMetadata,
  authorization_server_metadata: judgeServerMetadata,
  identifiers: judgeIdentifiers,
  grants: judgeGrants,
  signing_keys: judgeKeys,
  client_id: ({ known, issuesNone, t }) =>
    passed(issuesNone ? t("issuesNone.client") : t("client", { id: known.clientId })),
  scopes: judgeScopes,
  skills: judgeSkills,
  status_list: judgeStatusList,
  request_prefixes: judgePrefixes,
};

/** Judges what a service says about itself, one check after the other. */
export function judgeService(
  findings: ServiceFindings,
  { known, say }: { readonly known: KnownRegistry; readonly say: Case["say"] },
): Check[] {
  const t = sayBelow("administration.inspection", say);
  const issuesNone = takesOnlyTokensOf(known.issuer, findings);
  return serviceCheckIds.map((id) => ({
    id,
    title: t(`titles.${id}`),
    ...judges[id]({ ...findings, known, issuesNone, t, say }),
  }));
}

/** Whether a service names this server, and not itself, as the one whose tokens it takes. */
export function takesOnlyTokensOf(
  issuer: string,
  { origin, resourceMetadata: { value } }: Pick<ServiceFindings, "origin" | "resourceMetadata">,
): boolean {
  const named = value?.authorization_servers ?? [];
  return named.includes(issuer) && !named.includes(origin);
}

function judgeReachable(found: Case): Judgement {
  const { origin, resourceMetadata, t, say } = found;
  const { fault } = resourceMetadata;
  if (fault !== undefined && isAway(found)) return failed(say(fault), t("reachable.remedy"));
  return passed(t("reachable.passed", { origin }));
}

/** Neither document could be asked for: then the routes are not what is wrong. */
function isAway({ resourceMetadata, serverMetadata }: Case): boolean {
  return "unreachable" in resourceMetadata && "unreachable" in serverMetadata;
}

function judgeResourceMetadata(found: Case): Judgement {
  const { known, t, say } = found;
  const { value, fault } = found.resourceMetadata;
  if (value !== undefined) return passed(t("protects", { resource: value.resource }));
  if (isAway(found)) return unanswered(t);
  return failed(say(fault), `${t("mountRoutes")} ${t("issuesNone.publish", { issuer: known.issuer })}`);
}

function judgeServerMetadata(found: Case): Judgement {
  const { known, issuesNone, t, say } = found;
  const { value, fault } = found.serverMetadata;
  if (issuesNone) return passed(t("issuesNone.passed", { issuer: known.issuer }));
  if (value !== undefined) return passed(t("issuerIs", { issuer: value.issuer }));
  if (isAway(found)) return unanswered(t);
  return failed(say(fault), `${t("mountRoutes")} ${t("issuesNone.publish", { issuer: known.issuer })}`);
}

function judgeIdentifiers(found: Case): Judgement {
  const { origin, known, issuesNone, t } = found;
  const { registeredAs, own } = known;
  const resource = found.resourceMetadata.value;
  const server = issuesNone ? undefined : found.serverMetadata.value;
  if (resource === undefined || (server === undefined && !issuesNone)) return earlier(t);
  if (server !== undefined && server.issuer !== origin) {
    return failed(
      t("identifiers.otherIssuer", { issuer: server.issuer, origin }),
      t("identifiers.publicOrigin"),
    );
  }
  const named = resource.authorization_servers;
  // The SDK names the authorization server of people first, for ordinary clients, and the service itself behind it.
  if (!issuesNone && !named.includes(origin)) {
    return failed(
      t("identifiers.otherServer", { named: named.join(", "), origin }),
      t("identifiers.publicOrigin"),
    );
  }
  const endpoints = server === undefined ? [] : [server.token_endpoint, server.jwks_uri];
  const foreign = [resource.resource, ...endpoints].find(
    (url) => !URL.canParse(url) || new URL(url).origin !== origin,
  );
  if (foreign !== undefined)
    return failed(t("identifiers.elsewhere", { url: foreign, origin }), t("identifiers.publicOrigin"));
  if (registeredAs !== undefined) {
    return failed(
      t("identifiers.registered", { resource: resource.resource, key: registeredAs }),
      t("identifiers.registeredRemedy"),
    );
  }
  if (own !== undefined && own.resource !== resource.resource) {
    return failed(
      t("identifiers.moved", { resource: resource.resource, registered: own.resource }),
      t("identifiers.movedRemedy"),
    );
  }
  return passed(t("identifiers.passed", { origin }));
}

function judgeGrants({ serverMetadata: { value }, issuesNone, t }: Case): Judgement {
  if (issuesNone) return passed(t("issuesNone.notNeeded"));
  if (value === undefined) return earlier(t);
  const offersGrant = assertionGrants.some((grant) => value.grant_types_supported.includes(grant));
  if (!offersGrant || !value.authorization_grant_profiles_supported.includes(idJag)) {
    return failed(t("grants.noAssertions"), t("mountRoutes"));
  }
  if (!value.dpop_signing_alg_values_supported.includes("ES256")) {
    return failed(t("grants.noProofs"), t("grants.update"));
  }
  return passed(t("grants.passed"));
}

function judgeKeys(found: Case): Judgement {
  const { t, say } = found;
  const { value, fault } = found.keys;
  if (found.issuesNone) return passed(t("issuesNone.notNeeded"));
  if (found.serverMetadata.value === undefined) return earlier(t);
  if (value === undefined) return failed(say(fault), t("mountRoutes"));
  if (value.length === 0) return failed(t("keys.empty"), t("keys.remedy"));
  const keyFault = value.map((key) => faultOfKey(key, t)).find((one) => one !== undefined);
  return keyFault === undefined
    ? passed(t("keys.passed", { count: value.length }))
    : failed(keyFault, t("keys.remedy"));
}

function faultOfKey(key: PublishedKey, t: Texts): string | undefined {
  const kid = typeof key.kid === "string" ? key.kid : undefined;
  if ("d" in key) return kid === undefined ? t("keys.isPrivateNoKid") : t("keys.isPrivate", { kid });
  if (kid === undefined) return t("keys.noKid");
  try {
    importPublicJwk(key);
    return undefined;
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    return t("keys.notEs256", { kid, reason: error.reason });
  }
}

function judgeScopes({ resourceMetadata: { value }, known: { knownScopes, own }, t }: Case): Judgement {
  if (value === undefined) return earlier(t);
  const scopes = value.scopes_supported;
  const malformed = scopes.filter((scope) => !isScope(scope));
  if (malformed.length > 0)
    return failed(t("scopes.malformed", { scopes: malformed.slice(0, 5) }), t("scopes.malformedRemedy"));
  if (scopes.length === 0) return warning(t("scopes.none"), t("scopes.noneRemedy"));
  const unknown = scopes.filter((scope) => !knownScopes.has(scope));
  if (unknown.length > 0) return warning(t("scopes.unknown", { scopes: unknown }), t("scopes.unknownRemedy"));
  const registered = own?.supportedScopes ?? scopes;
  const notChecked = registered.filter((scope) => !scopes.includes(scope));
  if (notChecked.length > 0)
    return warning(t("scopes.notChecked", { scopes: notChecked }), t("scopes.notCheckedRemedy"));
  const notRegistered = scopes.filter((scope) => !registered.includes(scope));
  if (notRegistered.length > 0)
    return warning(t("scopes.notRegistered", { scopes: notRegistered }), t("scopes.notRegisteredRemedy"));
  return passed(t("scopes.passed", { scopes }));
}

function judgeStatusList({ resourceMetadata: { value }, t }: Case): Judgement {
  if (value === undefined) return earlier(t);
  if (value.token_status_list_supported === true) return passed(t("statusList.passed"));
  return warning(t("statusList.notRead"), t("statusList.remedy"));
}

function judgeSkills({ resourceMetadata, skills, t, say }: Case): Judgement {
  if (resourceMetadata.value === undefined) return earlier(t);
  if (skills === undefined) return passed(t("skills.none"));
  if (skills.value === undefined) return warning(say(skills.fault), t("skills.remedy"));
  return passed(t("skills.passed", { count: skills.value.length }));
}

function judgePrefixes(found: Case): Judgement {
  const { resourceMetadata, strippedPrefix, known, t } = found;
  const { value } = resourceMetadata;
  const { prefixes } = known;
  if (value === undefined) return earlier(t);
  const wanted = value.resource;
  const same = prefixes.find(({ prefix }) => prefix === wanted);
  if (same !== undefined)
    return failed(t("prefixes.taken", { url: wanted, key: same.key }), t("prefixes.takenRemedy"));
  if (strippedPrefix !== undefined) {
    return warning(
      t("prefixes.stripped", { prefix: strippedPrefix }),
      t("prefixes.strippedRemedy", { prefix: strippedPrefix }),
    );
  }
  const nested = prefixes.find(({ prefix }) => covers(prefix, wanted) || covers(wanted, prefix));
  if (nested !== undefined) {
    return warning(
      t("prefixes.nested", { url: wanted, other: nested.prefix, key: nested.key }),
      t("prefixes.nestedRemedy"),
    );
  }
  return passed(t("prefixes.passed", { url: wanted }));
}

function covers(prefix: string, url: string): boolean {
  return url.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
