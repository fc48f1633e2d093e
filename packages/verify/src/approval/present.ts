import { randomUUID } from "node:crypto";
import type { Clock } from "@authz/dpop";
import { isJsonObject, type JsonObject, JwsError, parseStrictJson } from "@authz/dpop/jws";
import { within } from "@authz/dpop/replay";
import { issuerUnavailable } from "../errors.js";
import { readLimited } from "../forms.js";
import type { DocumentSource } from "../issuer/fetch-document.js";
import { type IssuerAddress, loadTransactionEndpoint } from "../issuer/metadata-document.js";
import type { SigningKeys } from "../keys/signing-keys.js";
import { printableJson } from "../printable-json.js";

/** The issuer's answer to a challenge. */
type Presented =
  | { readonly kind: "approved"; readonly token: string }
  | { readonly kind: "pending"; readonly uri: string; readonly expiresIn: number }
  | { readonly kind: "denied" }
  | { readonly kind: "session_ended" };

/** Presents a challenge to the issuer. */
export type Presenter = (challenge: string) => Promise<Presented>;

/** The dependencies of the presenter. */
export interface PresenterOptions extends IssuerAddress, DocumentSource {
  readonly resource: string;
  readonly signingKeys: Pick<SigningKeys, "sign">;
  readonly clock: Clock;
}

const assertionSeconds = 60;
const endpointMilliseconds = 5 * 60_000;
const maximumBytes = 64 * 1024;

/**
 * Creates the presenter of a service, which authenticates itself with an assertion.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.2 | RFC 7523 §2.2}
 */
export function createPresenter(options: PresenterOptions): Presenter {
  const { issuer, resource, signingKeys, clock } = options;
  let known: { readonly url: string; readonly at: number } | undefined;

  async function findEndpoint(): Promise<string> {
    if (known === undefined || clock() - known.at >= endpointMilliseconds)
      known = { url: await loadTransactionEndpoint(options, options), at: clock() };
    return known.url;
  }

  return async (challenge) => {
    const url = await findEndpoint();
    const issuedAt = Math.floor(clock() / 1000);
    const assertion = await signingKeys.sign("client-authentication+jwt", {
      iss: resource,
      sub: resource,
      aud: issuer,
      jti: randomUUID(),
      iat: issuedAt,
      exp: issuedAt + assertionSeconds,
    });
    const form = new URLSearchParams({
      transaction_challenge: challenge,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    });
    const answer = await post(url, form, options);
    return readAnswer(answer, { url, issuer });
  };
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function post(
  url: string,
  body: URLSearchParams,
  { fetch, timeoutSeconds }: DocumentSource,
): Promise<Answer> {
  const abort = new AbortController();
  const { signal } = abort;
  const send = async (): Promise<Answer> => {
    const response = await fetch(url, {
      method: "POST",
      body,
      signal,
      redirect: "manual",
      headers: { accept: "application/json" },
    });
    const { status } = response;
    return { status, body: parseAnswer(await readLimited(response.body, maximumBytes)) };
  };
  const late = () => issuerUnavailable(`${url} did not answer within ${timeoutSeconds} seconds.`);
  try {
    return await within(timeoutSeconds, send(), late);
  } catch (cause) {
    throw issuerUnavailable(`${url} cannot be reached, so no approval can be asked for.`, { cause });
  } finally {
    abort.abort();
  }
}

/** Anything that is not an object counts as an empty one, which no answer is. */
function parseAnswer(bytes: Uint8Array): JsonObject {
  try {
    const value = parseStrictJson(bytes);
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (error instanceof JwsError) return {};
    throw error;
  }
}

/**
 * @throws {AuthzUnavailableError} The issuer cannot answer now.
 * @throws {Error} The issuer refused what only a change of the service or of its registration corrects.
 */
function readAnswer(
  { status, body }: Answer,
  { url, issuer }: { readonly url: string; readonly issuer: string },
): Presented {
  const { access_token: token, authorization_uri: uri, expires_in: expiresIn, error } = body;
  if (status === 200 && typeof token === "string") return { kind: "approved", token };
  if (status === 200 && isAddressOf(issuer, uri) && Number.isSafeInteger(expiresIn))
    return { kind: "pending", uri, expiresIn: expiresIn as number };
  if (error === "access_denied") return { kind: "denied" };
  if (error === "invalid_grant") return { kind: "session_ended" };
  const isTemporary = status === 200 || status === 429 || status >= 500 || error === "expired_token";
  if (isTemporary || typeof error !== "string")
    throw issuerUnavailable(`${url} answered ${status} to a challenge. Check the authorization server.`);
  throw new Error(
    `${url} refused the challenge of this service: ${printableJson(error)}, ${printableJson(body["error_description"])}. Nothing was approved.`,
  );
}

/** Nothing else may be shown to people as the page to open. */
function isAddressOf(issuer: string, uri: unknown): uri is string {
  return (
    typeof uri === "string" && uri.length <= 2048 && uri.startsWith(`${issuer}/`) && !/[^\x21-\x7e]/.test(uri)
  );
}
