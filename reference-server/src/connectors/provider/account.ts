import * as oauth from "oauth4webapi";
import type { Connector } from "../../store/connectors.js";
import type { JsonObject } from "@authz/dpop/jws";
import { shortText } from "../../text/short-text.js";
import type { Account } from "../kinds/kind.js";
import { kinds } from "../kinds/kinds.js";
import type { ProviderClient, ProviderOptions } from "./client.js";
import { ProviderError } from "./provider-error.js";
import { askProvider } from "./provider-request.js";
import type { ProviderTokens } from "./tokens.js";

/** The account of tokens; `null` if the third party does not tell. */
export interface KnownAccount {
  readonly subject: string | null;
  readonly label: string | null;
}

const maximumSubject = 255;
const maximumLabel = 200;
const subjects = ["sub", "id", "account_id", "user_id"] as const;
const labels = ["email", "preferred_username", "login", "username", "name"] as const;

/**
 * Finds the account: by the ID token, else by the account endpoint.
 *
 * @throws {ProviderError} `account_unknown`, or what asking the account endpoint throws
 */
export async function findAccount(
  connector: Connector,
  tokens: ProviderTokens,
  { claims, options }: { readonly claims: JsonObject | undefined; readonly options: ProviderOptions },
): Promise<KnownAccount> {
  const fromToken = claims === undefined ? undefined : readAccount(claims);
  if (connector.accountEndpoint === null) return fromToken ?? { subject: null, label: null };
  // An ID token with a label needs no request to the account endpoint.
  if (fromToken !== undefined && fromToken.label !== fromToken.subject) return fromToken;
  const asked = await askAccount(connector, connector.accountEndpoint, { tokens, options });
  if (fromToken !== undefined && asked.subject !== fromToken.subject) {
    throw new ProviderError("account_unknown", { detail: "the account endpoint names another account" });
  }
  return asked;
}

/**
 * Whether a token that a third party has refused once still works, by the account endpoint. In doubt it does: the next request will
 * tell.
 */
export async function isAlive(
  { accountEndpoint }: Connector,
  accessToken: string,
  { outboundFetch, timeoutSeconds }: ProviderOptions,
): Promise<boolean> {
  if (accountEndpoint === null) return false;
  try {
    const headers = { accept: "application/json", authorization: `Bearer ${accessToken}` };
    const { status } = await askProvider(outboundFetch, accountEndpoint, { headers, timeoutSeconds });
    return status !== 401;
  } catch (error) {
    if (error instanceof ProviderError) return true;
    throw error;
  }
}

async function askAccount(
  connector: Connector,
  endpoint: string,
  { tokens, options }: { readonly tokens: ProviderTokens; readonly options: ProviderOptions },
): Promise<Account> {
  const { outboundFetch, timeoutSeconds } = options;
  const { status, body } = await askProvider(outboundFetch, endpoint, {
    headers: { accept: "application/json", authorization: `Bearer ${tokens.accessToken}` },
    timeoutSeconds,
  });
  if (status !== 200 || body === undefined) {
    throw new ProviderError("account_unknown", { detail: `account endpoint: status ${status}` });
  }
  const { quirks } = kinds[connector.kind];
  const account = quirks.readAccount === undefined ? readAccount(body) : clean(quirks.readAccount(body));
  if (account !== undefined) return account;
  throw new ProviderError("account_unknown", { detail: "account endpoint: no account in the answer" });
}

function readAccount(document: JsonObject): Account | undefined {
  const subject = first(subjects.map((name) => document[name]));
  if (subject === undefined) return undefined;
  return clean({ subject, label: first(labels.map((name) => document[name])) ?? subject });
}

function first(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  }
  return undefined;
}

/** A subject is compared, so it is never changed; a label is only shown, so it is cleaned. */
function clean(account: Account | undefined): Account | undefined {
  if (account === undefined) return undefined;
  const { subject } = account;
  if (subject.length > maximumSubject || /\p{C}/u.test(subject)) return undefined;
  return { subject, label: shortText(account.label, maximumLabel) ?? subject };
}

/**
 * Checks an ID token that came from the token endpoint: issuer, audience, time and nonce (OpenID Connect Core §3.1.3.7).
 *
 * @throws {ProviderError} `invalid_answer`
 */
export async function checkIdToken(
  { server, client }: ProviderClient,
  { accessToken, idToken }: ProviderTokens,
  nonce: string,
): Promise<JsonObject> {
  const body = JSON.stringify({ access_token: accessToken, token_type: "bearer", id_token: idToken });
  const response = new Response(body, { headers: { "content-type": "application/json" } });
  try {
    const checked = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    return { ...oauth.getValidatedIdTokenClaims(checked) };
  } catch (error) {
    // The library's messages name the claim; what the claim says is in causes, which go nowhere.
    const detail = error instanceof Error ? `ID token: ${error.message.slice(0, 120)}` : "ID token";
    throw new ProviderError("invalid_answer", { detail });
  }
}
