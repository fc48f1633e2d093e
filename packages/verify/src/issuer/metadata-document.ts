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
  const { url, jwksUri } = await loadMetadata(address, source);
  return onIssuer({ url, member: "jwks_uri", value: jwksUri }, address);
}

/**
 * Determines the URL at which this service presents challenges itself.
 *
 * @throws {AuthzUnavailableError} as `loadKeySetUrl`, and for an issuer without approvals
 */
export async function loadTransactionEndpoint(
  address: IssuerAddress,
  source: DocumentSource,
): Promise<string> {
  const { url, transactionEndpoint: value } = await loadMetadata(address, source);
  if (typeof value !== "string")
    throw issuerUnavailable(
      `${url} has no transaction_authorization_endpoint. Update the authorization server, or remove requireApproval().`,
    );
  return onIssuer({ url, member: "transaction_authorization_endpoint", value }, address);
}

async function loadMetadata(
  address: IssuerAddress,
  source: DocumentSource,
): Promise<Metadata & { readonly url: string }> {
  const url = metadataUrl(address);
  const metadata = readMetadata(url, await fetchDocument(url, source));
  const { issuer } = metadata;
  if (issuer !== address.issuer) {
    throw issuerUnavailable(
      `${url} names the issuer ${printableJson(issuer)}, but this service was set up with "${address.issuer}". The two must be the same, character by character.`,
    );
  }
  return { ...metadata, url };
}

interface Metadata {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly transactionEndpoint: unknown;
}

function readMetadata(url: string, document: unknown): Metadata {
  const {
    issuer,
    jwks_uri: jwksUri,
    transaction_authorization_endpoint: transactionEndpoint,
  } = isJsonObject(document) ? document : {};
  if (typeof issuer !== "string" || typeof jwksUri !== "string") {
    throw issuerUnavailable(
      `${url} has no issuer and jwks_uri. Check that it is the metadata of an authorization server.`,
    );
  }
  return { issuer, jwksUri, transactionEndpoint };
}

/** Inserts the well-known path between the host and the path of the issuer. */
function metadataUrl({ issuer, discoveryProxyOrigin }: IssuerAddress): string {
  const { origin, pathname } = new URL(issuer);
  return `${discoveryProxyOrigin ?? origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
}

/** The address must be on the issuer's own origin, so that a document cannot redirect the fetch. */
function onIssuer(
  { url: metadata, member, value }: { readonly url: string; readonly member: string; readonly value: string },
  { issuer, discoveryProxyOrigin }: IssuerAddress,
): string {
  const { origin } = new URL(issuer);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.origin !== origin || url.username !== "" || url.password !== "") {
    throw issuerUnavailable(
      `${metadata} has the ${member} ${printableJson(value)}. It must be an address on ${origin}.`,
    );
  }
  return `${discoveryProxyOrigin ?? origin}${url.pathname}${url.search}`;
}
