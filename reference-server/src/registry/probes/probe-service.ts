import { builtInClient } from "../default-records.js";
import { findResource } from "../resource.js";
import type { ServerContext } from "../../context.js";
import { defaultsOf, membersOf, type StoredObject } from "../../objects/object.js";
import { resourceShape } from "../../objects/resource.js";
import type { RegisteredResource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import type { Message } from "../../text/message.js";
import { type Check, isReady } from "./check.js";
import { judgeService, takesOnlyTokensOf } from "./judge-service.js";
import { readService, type ResourceMetadata } from "./read-service.js";

/** What a service publishes about itself, and whether it can be registered. */
export interface ServiceInspection {
  readonly origin: string;
  readonly ready: boolean;
  readonly checks: readonly Check[];
  /** To be registered; `null`: the service does not say enough. */
  readonly resource: StoredObject<typeof resourceShape> | null;
  readonly unknownScopes: readonly string[];
}

/**
 * Looks at a service that is to be registered: what it publishes, what is wrong with it, and a draft to register. With
 * the key of a resource it looks again at a service that is registered, which is then no conflict with itself.
 *
 * Asks through the guarded client only, and stores nothing.
 */
export async function probeService(
  { address, key }: { readonly address: string; readonly key?: string | undefined },
  {
    context,
    now,
    say,
  }: { readonly context: ServerContext; readonly now: Date; readonly say: (message: Message) => string },
): Promise<ServiceInspection> {
  const { store, config } = context;
  const own = key === undefined ? undefined : await findResource(store, key);
  const { origin } = new URL(address);
  const findings = await readService(address, { context, now });
  const metadata = findings.resourceMetadata.value;
  const scopes = [...new Set(metadata?.scopes_supported)].sort();
  const knownScopes = new Set((await store.scopes.findAll(scopes)).map((scope) => scope.key));
  const registered = metadata && (await store.resources.findByIdentifier(metadata.resource));
  const prefixes = await store.resources.listPrefixesAt(origin);
  const known = {
    issuer: config.issuer,
    clientId: own?.clientId ?? builtInClient.id,
    knownScopes,
    prefixes: prefixes.filter((prefix) => prefix.key !== key),
    registeredAs: registered?.key === key ? undefined : registered?.key,
    own,
  };
  const checks = judgeService(findings, { known, say });
  const authorizationServer = takesOnlyTokensOf(config.issuer, findings) ? config.issuer : origin;
  return {
    origin,
    ready: isReady(checks),
    checks,
    resource:
      metadata === undefined
        ? null
        : await draftResource(origin, { authorizationServer, metadata, scopes, own, store }),
    unknownScopes: scopes.filter((scope) => !knownScopes.has(scope)),
  };
}

async function draftResource(
  origin: string,
  {
    authorizationServer,
    metadata,
    scopes,
    own,
    store,
  }: {
    readonly authorizationServer: string;
    readonly metadata: ResourceMetadata;
    readonly scopes: readonly string[];
    readonly own: RegisteredResource | undefined;
    readonly store: Pick<Store, "resources">;
  },
): Promise<NonNullable<ServiceInspection["resource"]>> {
  const name = own?.name ?? metadata.resource_name ?? new URL(origin).host;
  const kept = own ?? {
    ...defaultsOf(resourceShape),
    clientId: builtInClient.id,
    requestPrefixes: [metadata.resource],
    // Only a service that says so itself: one that says nothing may never have thought of it.
    allowsBearer: metadata.dpop_bound_access_tokens_required === false,
  };
  return membersOf(resourceShape, {
    ...kept,
    key: own?.key ?? (await freeKey(slugOf(name), store)),
    name,
    resource: metadata.resource,
    authorizationServer,
    supportedScopes: scopes,
    // The catalog is asked for where the service issues its tokens.
    skillDiscovery: metadata.skills_endpoint !== undefined && authorizationServer === origin,
  });
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

/** After a hundred services with one name, registering reports the conflict. */
async function freeKey(slug: string, store: Pick<Store, "resources">): Promise<string> {
  for (let number = 1; number <= 100; number += 1) {
    const key = number === 1 ? slug : `${slug}-${number}`;
    if ((await store.resources.findByKey(key)) === undefined) return key;
  }
  return slug;
}
