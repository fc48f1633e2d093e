import { isJsonObject } from "@authz/dpop/jws";
import { issuerUnavailable } from "../errors.js";
import { printableJson } from "../printable-json.js";
import { type DocumentSource, fetchDocument } from "./fetch-document.js";

/** The authorization server, and the origin of its documents. */
export interface IssuerAddress {
  readonly issuer: string;
  /** Origin to fetch from instead; the documents must still name the issuer. */
  readonly discoveryProxyOrigin: string | undefined;
}

/**
 * Determines the URL of the issuer's key set.
 *
 * @throws {AuthzUnavailableError} The document cannot be fetched, or it belongs to another issuer.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-3.3 | RFC 8414 §3.3}
 */
export async function loadKeySetUrl(address: IssuerAddress, source: DocumentSource): Promise<string> {
  const url = metadataUrl(address);
  const { issuer, jwksUri } = readMetadata(url, await fetchDocument(url, source));
  if (issuer !== address.issuer) {
    throw issuerUnavailable(
      `${url} names the issuer ${printableJson(issuer)}, but this service was set up with "${address.issuer}". The two must be the same, character by character.`,
    );
  }
  return keySetUrl(url, jwksUri, address);
}

function readMetadata(url: string, document: unknown): { issuer: string; jwksUri: string } {
  const { issuer, jwks_uri: jwksUri } = isJsonObject(document) ? document : {};
  if (typeof issuer !== "string" || typeof jwksUri !== "string") {
    throw issuerUnavailable(
      `${url} has no issuer and jwks_uri. Check that it is the metadata of an authorization server.`,
    );
  }
  return { issuer, jwksUri };
}

/** Inserts the well-known path between the host and the path of the issuer. */
function metadataUrl({ issuer, discoveryProxyOrigin }: IssuerAddress): string {
  const { origin, pathname } = new URL(issuer);
  return `${discoveryProxyOrigin ?? origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
}

/** The key set must be on the issuer's own origin, so that a document cannot redirect the fetch. */
function keySetUrl(
  metadata: string,
  jwksUri: string,
  { issuer, discoveryProxyOrigin }: IssuerAddress,
): string {
  const { origin } = new URL(issuer);
  const url = URL.canParse(jwksUri) ? new URL(jwksUri) : undefined;
  if (url?.origin !== origin || url.username !== "" || url.password !== "") {
    throw issuerUnavailable(
      `${metadata} has the jwks_uri ${printableJson(jwksUri)}. It must be an address on ${origin}.`,
    );
  }
  return `${discoveryProxyOrigin ?? origin}${url.pathname}${url.search}`;
}
