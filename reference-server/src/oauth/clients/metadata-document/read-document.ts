import { type JsonObject, JwsError, parseStrictJsonObject } from "@authz/dpop/jws";
import { redirectUriFault } from "../../../protocol/redirect-rules.js";
import { grantTypes } from "../../../protocol/vocabulary.js";
import type { Client } from "../../../store/clients.js";
import { readClientName, readGrantTypes, readTexts } from "../client-metadata.js";
import { ClientDocumentError } from "./document-error.js";
import { readClientKeys, refuseSecretKeys } from "./read-keys.js";

/** What a document says about its client; an administrator's decisions are not among it. */
export type ClientDescription = Pick<
  Client,
  "name" | "type" | "redirectUris" | "keys" | "dpopBound" | "grantTypes"
>;

/** A document that can be taken. With `jwksUri` its keys are still to be fetched from there. */
export interface ReadDocument {
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
