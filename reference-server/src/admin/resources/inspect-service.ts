import { builtInClient } from "../../default-records.js";
import type { ServerContext } from "../../context.js";
import type { Store } from "../../store/store.js";
import { judgeService } from "./judge-service.js";
import { readService, type ResourceMetadata } from "./read-service.js";
import type { Inspection } from "./schemas.js";

/**
 * Looks at a service that is to be registered: what it publishes, what is wrong with it, and a draft to register.
 *
 * Asks through the guarded client only, and stores nothing.
 */
export async function inspectService(
  origin: string,
  { context, now }: { readonly context: ServerContext; readonly now: Date },
): Promise<Inspection> {
  const { store } = context;
  const findings = await readService(origin, { context, now });
  const metadata = findings.resourceMetadata.value;
  const scopes = [...new Set(metadata?.scopes_supported)].sort();
  const knownScopes = new Set((await store.scopes.findAll(scopes)).map(({ key }) => key));
  const registered = metadata && (await store.resources.findByIdentifier(metadata.resource));
  const checks = judgeService(findings, {
    clientId: builtInClient.id,
    knownScopes,
    prefixes: await store.resourceLists.listPrefixesAt(origin),
    registeredAs: registered?.key,
  });
  return {
    origin,
    ready: checks.every(({ state }) => state !== "failed"),
    checks,
    resource: metadata === undefined ? null : await draftResource(origin, { metadata, scopes, store }),
    unknownScopes: scopes.filter((scope) => !knownScopes.has(scope)),
  };
}

async function draftResource(
  origin: string,
  {
    metadata,
    scopes,
    store,
  }: {
    readonly metadata: ResourceMetadata;
    readonly scopes: readonly string[];
    readonly store: Pick<Store, "resources">;
  },
): Promise<NonNullable<Inspection["resource"]>> {
  const name = metadata.resource_name ?? new URL(origin).hostname;
  return {
    key: await freeKey(slugOf(name), store),
    name,
    resource: metadata.resource,
    authorizationServer: origin,
    clientId: builtInClient.id,
    requestPrefixes: [metadata.resource],
    supportedScopes: [...scopes],
    enabled: true,
    skillDiscovery: metadata.skills_endpoint !== undefined,
    allowsBearer: false,
  };
}

function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return slug === "" || slug === "installation" ? "service" : slug;
}

/** A hundred services with one name are somebody else's problem: registering says what is wrong then. */
async function freeKey(slug: string, store: Pick<Store, "resources">): Promise<string> {
  for (let number = 1; number <= 100; number += 1) {
    const key = number === 1 ? slug : `${slug}-${number}`;
    // oxlint-disable-next-line no-await-in-loop -- the first free one
    if ((await store.resources.findByKey(key)) === undefined) return key;
  }
  return slug;
}
