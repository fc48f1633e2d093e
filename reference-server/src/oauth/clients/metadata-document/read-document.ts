import { jwkThumbprint } from "@authz/dpop";
import {
  importPublicJwk,
  isJsonObject,
  type JsonObject,
  JwsError,
  parseStrictJsonObject,
  type PublicJwk,
} from "@authz/dpop/jws";
import { isLoopbackHost } from "../../../platform/outbound/addresses.js";
import { redirectUriFault } from "../../../protocol/redirect-uri.js";
import { grantTypes } from "../../../protocol/vocabulary.js";
import type { Client, ClientKey } from "../../../store/clients.js";
import { readClientName, readGrantTypes, readTexts } from "../client-metadata.js";
import { ClientDocumentError } from "./document-error.js";

/** The part of a client that its document describes. The rest is decided by administrators. */
export type ClientDescription = Pick<
  Client,
  "name" | "type" | "redirectUris" | "keys" | "dpopBound" | "grantTypes"
>;

/** A document that can be taken. With `jwksUri` its keys are still to be fetched from there. */
interface ReadDocument {
  readonly description: ClientDescription;
  readonly jwksUri: string | undefined;
}

/**
 * Reads a metadata document strictly. Members that mean nothing here, `logo_uri` among them, are not looked at.
 *
 * @param address - where it came from
 * @throws {ClientDocumentError}
 */
export function readDocument(body: Uint8Array, address: URL): ReadDocument {
  const document = parse(body);
  if (document["client_id"] !== address.href) throw new ClientDocumentError("document_client_id");
  if (Object.keys(document).some((member) => member.startsWith("client_secret")))
    throw new ClientDocumentError("document_secret");
  const listed = readGrantTypes(document);
  if (listed === undefined) throw new ClientDocumentError("document_flow");
  const name = document["client_name"] === undefined ? address.host : readClientName(document["client_name"]);
  if (name === undefined) throw new ClientDocumentError("document_name");
  const { type, keys, jwksUri } = readAuthentication(document);
  return {
    description: {
      name,
      type,
      redirectUris: readRedirectUris(
        document["redirect_uris"],
        listed.includes(grantTypes.authorizationCode),
        type,
      ),
      keys,
      dpopBound: document["dpop_bound_access_tokens"] === true,
      grantTypes: listed,
    },
    jwksUri,
  };
}

function parse(body: Uint8Array): JsonObject {
  try {
    return parseStrictJsonObject(body);
  } catch (error) {
    if (error instanceof JwsError) throw new ClientDocumentError("document_malformed", { cause: error });
    throw error;
  }
}

/**
 * A public client by default: what RFC 7591 has for a default is a secret, and a document cannot have one. Keys without a word about them
 * could mean either.
 */
function readAuthentication(document: JsonObject): Pick<ClientDescription, "type" | "keys"> & {
  readonly jwksUri: string | undefined;
} {
  const { jwks, jwks_uri: jwksUri, token_endpoint_auth_method: method = "none" } = document;
  refuseSecretKeys(jwks);
  if (method === "none" && (document["token_endpoint_auth_method"] === "none" || !hasKeys(document)))
    return { type: "public", keys: [], jwksUri: undefined };
  if (method !== "private_key_jwt") throw new ClientDocumentError("document_method");
  if (jwks !== undefined) return { type: "confidential", keys: readClientKeys(jwks), jwksUri: undefined };
  if (typeof jwksUri !== "string") throw new ClientDocumentError("document_keys");
  return { type: "confidential", keys: [], jwksUri };
}

function hasKeys({ jwks, jwks_uri: jwksUri }: JsonObject): boolean {
  return jwks !== undefined || jwksUri !== undefined;
}

/** Those that may be; a scheme of a program's own proves nothing about who gets the answer, and is left out like everything else. */
function readRedirectUris(
  value: unknown,
  needed: boolean,
  type: ClientDescription["type"],
): readonly string[] {
  if (value === undefined && !needed) return [];
  const listed = readTexts(value)?.filter(
    (uri) => /^https?:/.test(uri) && redirectUriFault(uri, type) === undefined,
  );
  if (listed === undefined || (needed && listed.length === 0))
    throw new ClientDocumentError("document_redirect_uris");
  return [...new Set(listed)];
}

/** Reads the key set that a document refers to. @throws {ClientDocumentError} */
export function readKeySet(body: Uint8Array): ClientDescription["keys"] {
  return readClientKeys(parse(body));
}

/** Maximum keys per client. A rotation needs two. */
const mostKeys = 8;
/** What only a private or a symmetric key has (RFC 7518 §6). */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Refuses a JWK set with a private or symmetric key, also where no key is needed: publishing one is an accident that its publisher
 * should learn of.
 *
 * @throws {ClientDocumentError} `document_secret`
 */
function refuseSecretKeys(set: unknown): void {
  const isSecret = (jwk: unknown) =>
    isJsonObject(jwk) && secretMembers.some((member) => Object.hasOwn(jwk, member));
  if (keysOf(set).some(isSecret)) throw new ClientDocumentError("document_secret");
}

/**
 * The keys for ES256 of a JWK set (RFC 7517 §5); others are left out. One without `kid` is called by its thumbprint.
 *
 * @throws {ClientDocumentError} `document_secret`: one of them is private. `document_keys`: none is left.
 */
function readClientKeys(set: unknown): readonly ClientKey[] {
  refuseSecretKeys(set);
  const found = new Map<string, ClientKey>();
  for (const jwk of keysOf(set)) {
    const key = readKey(jwk);
    if (key !== undefined && !found.has(key.kid)) found.set(key.kid, key);
  }
  if (found.size === 0) throw new ClientDocumentError("document_keys");
  return [...found.values()].slice(0, mostKeys);
}

function keysOf(set: unknown): readonly unknown[] {
  const keys = isJsonObject(set) ? set["keys"] : undefined;
  return Array.isArray(keys) ? (keys as readonly unknown[]) : [];
}

function readKey(jwk: unknown): ClientKey | undefined {
  if (!isJsonObject(jwk)) return undefined;
  try {
    importPublicJwk(jwk);
  } catch (error) {
    if (error instanceof JwsError) return undefined;
    throw error;
  }
  const { x, y } = jwk as unknown as PublicJwk;
  const publicJwk: PublicJwk = { kty: "EC", crv: "P-256", x, y };
  const { kid = jwkThumbprint(publicJwk) } = jwk;
  return typeof kid === "string" && /^[\x21-\x7e]{1,256}$/.test(kid) ? { kid, publicJwk } : undefined;
}

/** Longer ones are none: they go into indexes, tokens and the audit trail. */
const maximumLength = 2048;

/** Whether a client's id can only be the address of its document: ids of registered clients have no colon. */
export function looksLikeAddress(clientId: string): boolean {
  return clientId.includes(":");
}

/**
 * The address of a client ID metadata document; `undefined` when the text cannot be one.
 *
 * `https` with a path, in the one spelling that the URL standard gives it: so there is no second id for the same document, and no
 * letter of another script in the host. No fragment, credentials or dot segments. In development also `http` to a loopback
 * address.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ | draft-ietf-oauth-client-id-metadata-document, Client Identifier URL}
 */
export function documentAddress(
  clientId: string,
  { allowInsecureLoopback }: { readonly allowInsecureLoopback: boolean },
): URL | undefined {
  if (clientId.length > maximumLength || !/^[\x21-\x7e]+$/.test(clientId)) return undefined;
  if (clientId.includes("#") || !URL.canParse(clientId)) return undefined;
  const url = new URL(clientId);
  const { protocol, hostname, pathname, username, password } = url;
  if (url.href !== clientId || username !== "" || password !== "" || pathname === "/") return undefined;
  // The same host once more, under another name.
  if (hostname.endsWith(".")) return undefined;
  const insecure = protocol === "http:" && allowInsecureLoopback && isLoopbackHost(hostname);
  return protocol === "https:" || insecure ? url : undefined;
}
