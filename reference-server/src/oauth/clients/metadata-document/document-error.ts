import { OAuthError } from "../../../protocol/oauth-error.js";

/** Why a metadata document is refused, as its publisher reads it. */
const messages = {
  document_address:
    "The client_id is not the address of a metadata document: it must be https with a path, spelled as a browser would, without fragment, credentials and dot segments.",
  document_unreachable:
    "This server cannot reach the metadata document of the client. It needs outbound access to that host; or the host is down.",
  document_timeout:
    "The metadata document of the client did not arrive within five seconds. This server needs outbound access to that host; or the host is slow.",
  document_redirect: "The address of the client's metadata document redirects, which is not followed.",
  forbidden_address: "The address of the client's metadata document is not public.",
  document_too_large: "The metadata document of the client is larger than 5 KiB.",
  document_status: "The address of the client's metadata document does not answer with status 200.",
  document_unavailable:
    "The address of the client's metadata document answers that it is out of order for now.",
  document_type: "The metadata document of the client is not sent as application/json.",
  document_malformed: "The metadata document of the client is not an unambiguous JSON object.",
  document_client_id: "The client_id in the metadata document is not the address of the document.",
  document_secret: "The metadata document of the client contains a secret.",
  document_method:
    "The token_endpoint_auth_method in the client's metadata document must be none without keys, or private_key_jwt with them.",
  document_keys: "The metadata document of the client has no usable key for ES256.",
  document_keys_unavailable: "The key set of the client cannot be fetched for now.",
  document_flow:
    "The grant_types and response_types in the client's metadata document leave no way to get a token here.",
  document_redirect_uris:
    "The redirect_uris in the client's metadata document must be https, or http to 127.0.0.1, [::1] or localhost.",
  document_name: "The client_name in the metadata document cannot be shown: it must be 1 to 100 letters.",
} as const;

export type DocumentFault = keyof typeof messages;

/** Faults that only mean that the publisher is unavailable. */
const outages: ReadonlySet<DocumentFault> = new Set([
  "document_unreachable",
  "document_timeout",
  "document_unavailable",
  "document_keys_unavailable",
]);

/** Publishers are rarely back sooner. */
const retryAfterSeconds = 30;

/**
 * A client's metadata document is refused: with `temporarily_unavailable` during an outage of its publisher, so that clients retry and keep
 * their tokens, else with `invalid_client`, as for an unknown client, and the reason in words.
 */
export class ClientDocumentError extends OAuthError {
  readonly fault: DocumentFault;
  readonly isOutage: boolean;
  constructor(fault: DocumentFault, options: ErrorOptions = {}) {
    const isOutage = outages.has(fault);
    const code = isOutage ? "temporarily_unavailable" : "invalid_client";
    super(code, fault, messages[fault], { ...options, retryAfterSeconds });
    this.fault = fault;
    this.isOutage = isOutage;
  }
}

/** The host of an app is not allowed. Nothing was fetched from it. */
export class HostNotAllowedError extends OAuthError {
  readonly clientId: string;
  /** In punycode. */
  readonly host: string;
  constructor({ clientId, host }: { readonly clientId: string; readonly host: string }) {
    super(
      "invalid_client",
      "host_not_allowed",
      `Apps from ${host} are not allowed here. An administrator can allow the host.`,
    );
    this.clientId = clientId;
    this.host = host;
  }
}
