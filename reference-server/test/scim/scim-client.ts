import { randomUUID } from "node:crypto";
import { type AdminServer, createAdminServer } from "../support/admin.js";

interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ScimRequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the provider's; `null`: none. */
  readonly secret?: string | null;
}

/** A provider that calls over HTTP. */
export interface ScimClient {
  readonly providerId: string;
  readonly key: string;
  readonly secret: string;
  request(method: string, path: string, options?: ScimRequestOptions): Promise<ScimAnswer>;
}

/** The whole server on a port, with an administrator, and providers that provision. */
export interface ScimServer extends AdminServer {
  readonly address: string;
  /** A provider with a credential that the administrator has created. */
  addProvider(change: { readonly key: string } & Readonly<Record<string, unknown>>): Promise<ScimClient>;
  /** Lets the groups of a provider by SCIM count. */
  useGroups(provider: string): Promise<void>;
  /** What the server knows of a person by the id of SCIM; `undefined`: nothing any more. */
  person(id: string): Promise<PersonState | undefined>;
}

/** A person as the database has them. */
export interface PersonState {
  readonly userId: string;
  readonly active: boolean;
  readonly enabled: boolean;
  readonly email: string | null;
  readonly name: string | null;
  /** What rules and assignments see. */
  readonly groups: readonly string[];
}

const personSql = `
  SELECT p.user_id AS "userId", p.active, u.enabled, u.email, u.name, coalesce(g.groups, '{}') AS groups
  FROM provisioned_users p JOIN users u ON u.id = p.user_id
    LEFT JOIN user_groups g ON g.user_id = p.user_id AND g.provider_id = p.provider_id AND g.expires_at = 'infinity'
  WHERE p.id::text = $1`;

export async function startScimServer(
  environment: Readonly<Record<string, string | undefined>> = { AUTHZ_RATE_LIMITS: "off" },
): Promise<ScimServer> {
  const server = await createAdminServer(environment);
  const address = await server.start();
  const { store } = server.context;

  async function addProvider({ key, ...change }: { readonly key: string }): Promise<ScimClient> {
    const id = randomUUID();
    await store.identityProviders.save(
      {
        id,
        key,
        name: key,
        issuer: `https://${key}.example`,
        clientId: "authz",
        clientSecret: null,
        tokenEndpointAuthMethod: "none",
        discoveryUrl: null,
        scopes: ["openid", "email"],
        allowedEmailDomains: [],
        enabled: true,
        ...change,
      },
      new Date(server.clock()),
    );
    const created = await server.request("POST", `/identity-providers/${key}/provisioning/credentials`);
    if (created.status !== 201) throw new Error(`No credential was created: ${created.text}`);
    return createScimClient(address, { providerId: id, key, secret: String(created.body["secret"]) });
  }

  return {
    ...server,
    address,
    addProvider,
    async useGroups(provider) {
      const body = { type: "scim", key: `${provider}-groups`, name: provider, provider };
      const { status, text } = await server.request("POST", "/group-providers", { body });
      if (status !== 201) throw new Error(text);
    },
    async person(id) {
      const [row] = await server.database.query<PersonState>(personSql, [id]);
      return row;
    },
  };
}

export function createScimClient(
  address: string,
  provider: Pick<ScimClient, "providerId" | "key" | "secret">,
): ScimClient {
  return {
    ...provider,
    async request(method, path, { body, headers = {}, secret = provider.secret } = {}) {
      const response = await fetch(`${address}/scim/v2${path}`, {
        method,
        headers: {
          ...(secret !== null && { authorization: `Bearer ${secret}` }),
          ...(body !== undefined && { "content-type": "application/scim+json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json") === true && text !== "";
      const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
      return { status: response.status, headers: response.headers, body: parsed };
    },
  };
}

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** A PATCH with these operations. */
export function patchOf(...Operations: readonly object[]): object {
  return { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
}
