import type { JsonObject } from "@authz/dpop/jws";
import type { KindQuirks } from "../kinds/kind.js";
import { errorCode, ProviderError } from "./provider-error.js";
import type { ProviderAnswer } from "./provider-request.js";

/** Tokens of a third party. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  /** From now; `undefined`: unknown. */
  readonly expiresInSeconds: number | undefined;
  /** `undefined`: the requested ones (RFC 6749 §5.1), or after a refresh those before. */
  readonly scopes: readonly string[] | undefined;
}

const maximumScopes = 200;
/** Visible ASCII, as RFC 6749 appendix A.12 has it; long ones are JWTs. */
const tokenText = /^[\x20-\x7e]{1,16384}$/;
/** Ten years: a longer time is a mistake. */
const maximumSeconds = 315_360_000;

/**
 * Reads an answer of a token endpoint strictly.
 *
 * @throws {ProviderError} `grant_refused`, `client_refused`, `refused`, `invalid_answer`
 */
export function readTokens({ status, body }: ProviderAnswer, quirks: KindQuirks): ProviderTokens {
  if (body === undefined) throw invalid(`status ${status}, no JSON object`);
  const answer = quirks.readTokens?.(body) ?? body;
  if (status !== 200 || answer["error"] !== undefined) throw refusal(status, answer);
  if (!/^bearer$/i.test(text(answer, "token_type"))) throw invalid("token_type is not Bearer");
  return {
    accessToken: token(answer, "access_token"),
    refreshToken: answer["refresh_token"] == null ? undefined : token(answer, "refresh_token"),
    idToken: answer["id_token"] == null ? undefined : token(answer, "id_token"),
    expiresInSeconds: readSeconds(answer["expires_in"]),
    scopes: readScopes(answer["scope"]),
  };
}

function refusal(status: number, answer: JsonObject): ProviderError {
  const code = errorCode(answer["error"]);
  const detail = code ?? `status ${status}`;
  if (code === "invalid_grant") return new ProviderError("grant_refused", { detail });
  if (code === "invalid_client" || code === "unauthorized_client" || status === 401) {
    return new ProviderError("client_refused", { detail });
  }
  if (code === "temporarily_unavailable" || code === "slow_down")
    return new ProviderError("rate_limited", { detail });
  // The standard's code for an internal error, with any status.
  if (code === "server_error") return new ProviderError("no_answer", { detail });
  return code === undefined ? invalid(detail) : new ProviderError("refused", { detail });
}

function token(answer: JsonObject, name: string): string {
  const value = text(answer, name);
  if (!tokenText.test(value)) throw invalid(`${name} is no token`);
  return value;
}

function text(answer: JsonObject, name: string): string {
  const value = answer[name];
  if (typeof value !== "string") throw invalid(`${name} is missing`);
  return value;
}

/** Some third parties send a string. */
function readSeconds(value: unknown): number | undefined {
  if (value == null) return undefined;
  const seconds = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0)
    throw invalid("expires_in is no time");
  return seconds > maximumSeconds ? undefined : Math.floor(seconds);
}

function readScopes(value: unknown): readonly string[] | undefined {
  if (value == null) return undefined;
  if (typeof value !== "string" || !/^[\x20-\x7e]*$/.test(value)) throw invalid("scope is no list");
  const scopes = [...new Set(value.split(" ").filter((scope) => scope !== ""))];
  if (scopes.length > maximumScopes) throw invalid("scope is too long");
  return scopes;
}

function invalid(detail: string): ProviderError {
  return new ProviderError("invalid_answer", { detail });
}
