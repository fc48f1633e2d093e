import { parseStrictJson } from "@authz/dpop/jws";
import type { CatalogSkill } from "@authz/skills";
import { z } from "zod";
import type { ServerContext } from "../../context.js";
import { OutboundError } from "../../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { CatalogError, fetchCatalog } from "../../skills/fetch-catalog.js";
import type { Message } from "../../text/message.js";
import { outboundMessage } from "../../text/outbound-message.js";

/** Something that a service was asked for: what it said, or why that is of no use. */
type Finding<T> =
  | { readonly value: T; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: Message; readonly unreachable?: true };

const text = z.string().min(1).max(2000);
const resourceMetadataSchema = z.object({
  resource: text,
  authorization_servers: z.array(text).min(1).max(10),
  scopes_supported: z.array(z.string().max(256)).max(500).default([]),
  resource_name: z.string().trim().min(1).max(200).optional().catch(undefined),
  skills_endpoint: text.optional(),
  dpop_bound_access_tokens_required: z.boolean().optional().catch(undefined),
  token_status_list_supported: z.boolean().optional().catch(undefined),
});
const serverMetadataSchema = z.object({
  issuer: text,
  token_endpoint: text,
  jwks_uri: text,
  grant_types_supported: z.array(z.string()).max(50).default([]),
  authorization_grant_profiles_supported: z.array(z.string()).max(50).default([]),
  dpop_signing_alg_values_supported: z.array(z.string()).max(50).default([]),
});
const keySetSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(100) });

export type ResourceMetadata = z.infer<typeof resourceMetadataSchema>;
type ServerMetadata = z.infer<typeof serverMetadataSchema>;
export type PublishedKey = z.infer<typeof keySetSchema>["keys"][number];

/** Everything that a service says about itself. */
export interface ServiceFindings {
  readonly origin: string;
  readonly resourceMetadata: Finding<ResourceMetadata>;
  readonly serverMetadata: Finding<ServerMetadata>;
  readonly keys: Finding<readonly PublishedKey[]>;
  /** `undefined` when the service names no catalog. */
  readonly skills: Finding<readonly CatalogSkill[]> | undefined;
  /** The beginning of its addresses that a proxy in front of it removes. */
  readonly strippedPrefix: string | undefined;
}

const resourceMetadataPath = "/.well-known/oauth-protected-resource";

const notAsked: Finding<never> = { fault: { key: "administration.inspection.notAsked" } };

/**
 * Asks a service for its metadata, its keys and its skills. Never throws for what the service does.
 *
 * @param address - of the service, with the path of its resource where the metadata is published only there
 */
export async function readService(
  address: string,
  {
    context,
    now,
  }: {
    readonly context: Pick<ServerContext, "config" | "keys" | "outboundFetch">;
    readonly now: Date;
  },
): Promise<ServiceFindings> {
  const { outboundFetch: fetch, keys: ownKeys, config } = context;
  const { origin } = new URL(address);
  const [resourceMetadata, serverMetadata] = await Promise.all([
    readResourceMetadata(address, fetch),
    readDocument(`${origin}/.well-known/oauth-authorization-server`, { fetch, schema: serverMetadataSchema }),
  ]);
  const jwksUri = serverMetadata.value?.jwks_uri;
  const wantsSkills = resourceMetadata.value?.skills_endpoint !== undefined;
  const [strippedPrefix, keys, skills] = await Promise.all([
    findStrippedPrefix(origin, { resource: resourceMetadata.value?.resource, fetch }),
    jwksUri === undefined ? notAsked : readDocument(jwksUri, { fetch, schema: keySetSchema }),
    wantsSkills
      ? readSkills(origin, { issuer: config.issuer, keys: ownKeys, fetch, now })
      : Promise.resolve(undefined),
  ]);
  return {
    origin,
    resourceMetadata,
    serverMetadata,
    keys: keys.value === undefined ? keys : { value: keys.value.keys },
    skills,
    strippedPrefix,
  };
}

/** Of the whole origin; without that, of the address itself (RFC 9728 §3.1), as many services without the SDK publish it. */
async function readResourceMetadata(
  address: string,
  fetch: OutboundFetch,
): Promise<Finding<ResourceMetadata>> {
  const { origin, pathname } = new URL(address);
  const schema = resourceMetadataSchema;
  const whole = await readDocument(origin + resourceMetadataPath, { fetch, schema });
  if (whole.value !== undefined || whole.unreachable === true || pathname === "/") return whole;
  const below = await readDocument(origin + resourceMetadataPath + pathname, { fetch, schema });
  return below.value === undefined ? whole : below;
}

/** How deep a resource is looked for below its own path: each level is a request. */
const maximumLevels = 5;

/**
 * Where the metadata of the whole origin is also served below the path of the resource, something on the way removes that path. Proofs
 * name the address that callers see, so the service must be given it too.
 */
async function findStrippedPrefix(
  origin: string,
  { resource, fetch }: { readonly resource: string | undefined; readonly fetch: OutboundFetch },
): Promise<string | undefined> {
  if (resource === undefined || !URL.canParse(resource)) return undefined;
  const names = new URL(resource).pathname.split("/").filter((name) => name !== "");
  const prefixes = names.slice(0, maximumLevels).map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
  const found = await Promise.all(
    prefixes.map((prefix) =>
      readDocument(origin + prefix + resourceMetadataPath, { fetch, schema: resourceMetadataSchema }),
    ),
  );
  return prefixes.find((_, index) => found[index]?.value?.resource === resource);
}

async function readDocument<Schema extends z.ZodType>(
  url: string,
  { fetch, schema }: { readonly fetch: OutboundFetch; readonly schema: Schema },
): Promise<Finding<z.output<Schema>>> {
  try {
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const { status } = response;
    if (status !== 200)
      return { fault: { key: "administration.inspection.status", values: { url, status } } };
    const document = parseJson(new Uint8Array(await response.arrayBuffer()));
    if (document === undefined)
      return { fault: { key: "administration.inspection.notJson", values: { url } } };
    const result = schema.safeParse(document);
    if (result.success) return { value: result.data };
    const [issue] = result.error.issues;
    const member = issue?.path.join(".") ?? "";
    return { fault: { key: "administration.inspection.incomplete", values: { url, member } } };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { fault: outboundMessage(error), unreachable: true };
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch {
    return undefined;
  }
}

async function readSkills(
  origin: string,
  options: Parameters<typeof fetchCatalog>[1],
): Promise<Finding<readonly CatalogSkill[]>> {
  try {
    return { value: await fetchCatalog(origin, options) };
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    return { fault: error.sentence };
  }
}
