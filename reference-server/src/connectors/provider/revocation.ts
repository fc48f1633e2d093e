import * as oauth from "oauth4webapi";
import type { Connector } from "../../store/connectors.js";
import { kinds } from "../kinds/kinds.js";
import { askWith, type ProviderClient, type ProviderOptions } from "./client.js";
import { ProviderError } from "./provider-error.js";
import { askProvider } from "./provider-request.js";

/** The result of revoking tokens. `unsupported`: the third party offers no revocation. */
export type Revocation = "confirmed" | "unconfirmed" | "unsupported";

/** Tokens to revoke. */
export interface EndingTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
}

interface EndingToken {
  readonly type: "refresh_token" | "access_token";
  readonly value: string;
}

/**
 * Revokes tokens at the third party: the refresh token first, so that it yields no new ones.
 *
 * @returns `confirmed` only if the third party has confirmed it for every token that it can revoke
 */
export async function endTokens(
  connector: Connector,
  { accessToken, refreshToken }: EndingTokens,
  { known, options }: { readonly known: ProviderClient; readonly options: ProviderOptions },
): Promise<Revocation> {
  if (connector.revocationEndpoint === null) return "unsupported";
  const tokens: EndingToken[] = [
    ...(refreshToken === undefined ? [] : [{ type: "refresh_token", value: refreshToken } as const]),
    { type: "access_token", value: accessToken },
  ];
  const results: Revocation[] = [];
  for (const token of tokens) {
    results.push(
      await endToken(connector, token, { known, options, endpoint: connector.revocationEndpoint }),
    );
  }
  const possible = results.filter((result) => result !== "unsupported");
  if (possible.length === 0) return "unsupported";
  return possible.every((result) => result === "confirmed") ? "confirmed" : "unconfirmed";
}

async function endToken(
  { kind, clientId }: Connector,
  { type, value }: EndingToken,
  context: { readonly known: ProviderClient; readonly options: ProviderOptions; readonly endpoint: string },
): Promise<Revocation> {
  const { known, options, endpoint } = context;
  const { server, client, authentication, clientSecret } = known;
  const { revocation } = kinds[kind].quirks;
  try {
    if (revocation !== undefined) {
      const request = revocation({ type, value, clientId, clientSecret }, endpoint);
      if (request === undefined) return "unsupported";
      const { url, isConfirmed, ...rest } = request;
      const { timeoutSeconds, outboundFetch } = options;
      const answer = await askProvider(outboundFetch, url, { ...rest, timeoutSeconds });
      return isConfirmed(answer.status, answer.body) ? "confirmed" : "unconfirmed";
    }
    const { status, body } = await askWith(options, (written) =>
      oauth.revocationRequest(server, client, authentication, value, {
        ...written,
        additionalParameters: { token_type_hint: type },
      }),
    );
    // An invalid token is the goal; the standard's answer for it is 200, but some third parties answer with this error.
    return status === 200 || body?.["error"] === "invalid_token" ? "confirmed" : "unconfirmed";
  } catch (error) {
    if (error instanceof ProviderError) return "unconfirmed";
    throw error;
  }
}
