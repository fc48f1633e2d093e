import type { Es256KeyPair } from "@authz/dpop";
import type * as OAuth from "oauth4webapi";
import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import type { Session } from "../session/session.js";
import type { ServerMetadata } from "../tokens/server-metadata.js";
import { keptToken } from "../tokens/token-cache.js";
import { JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";
import type { JsonObject } from "@authz/dpop/jws";

/** The scopes of the command-line client: who the person is, staying signed in, and calling services. */
export const signInScope = "openid profile email offline_access authz:login";

/** What a token answer is checked against and completed with. */
export interface TokenAnswerContext {
  context: ClientContext;
  oauth: typeof OAuth;
  metadata: ServerMetadata;
  keyPair: Es256KeyPair;
}

/** Checks a token answer as its grant demands. */
export type ProcessTokenAnswer = (
  server: OAuth.AuthorizationServer,
  client: OAuth.Client,
  answer: Response,
) => Promise<OAuth.TokenEndpointResponse>;

/**
 * Checks the ID token of a token answer and turns the answer into a session.
 *
 * @throws {AuthzClientError} `sign_in_failed`, `invalid_answer`
 */
export async function newSession(
  body: JsonObject,
  { context, oauth, metadata, keyPair }: TokenAnswerContext,
  process: ProcessTokenAnswer,
): Promise<Session> {
  const { clockOffsetSeconds = 0 } = context.hints.forProof(metadata.tokenEndpoint);
  const client: OAuth.Client = {
    client_id: context.clientId,
    [oauth.clockSkew]: Math.round((context.clock() - Date.now()) / 1000) + clockOffsetSeconds,
  };
  const server = metadata.document as unknown as OAuth.AuthorizationServer;
  let claims: OAuth.IDToken | undefined;
  try {
    claims = oauth.getValidatedIdTokenClaims(await process(server, client, Response.json(body)));
  } catch (error) {
    throw signInFailed("The server's token answer does not pass the checks of OpenID Connect.", error);
  }
  if (claims === undefined) throw signInFailed("The server sent no ID token.");
  const fields = new JsonFields(body, metadata.tokenEndpoint);
  const now = context.clock();
  return {
    version: 1,
    issuer: context.issuer,
    clientId: context.clientId,
    subject: claims.sub,
    ...(typeof claims.email === "string" ? { email: claims.email } : {}),
    ...(typeof claims.name === "string" ? { name: claims.name } : {}),
    signedInAt: now,
    privateJwk: keyPair.privateJwk,
    idToken: fields.string("id_token"),
    refreshToken: fields.string("refresh_token"),
    accessToken: keptToken(fields, now),
    serviceTokens: {},
  };
}

/** The error for a sign-in that broke off. */
export function signInFailed(why: string, cause?: unknown): AuthzClientError {
  return new AuthzClientError("sign_in_failed", {
    what: "Signing in did not work.",
    why,
    cause,
  });
}

/** The error for a sign-in that the person, or the server, did not allow. */
export function signInDenied(description: string | undefined, cause: unknown): AuthzClientError {
  return new AuthzClientError("sign_in_declined", {
    what: "Signing in was not allowed.",
    why:
      description === undefined
        ? "It was declined on the consent page, or you may not use this client."
        : `The server says: ${quoted(description)}`,
    cause,
  });
}

/** The error for a sign-in that was not finished. */
export function signInTimedOut(why: string, cause?: unknown): AuthzClientError {
  return new AuthzClientError("sign_in_timed_out", {
    what: "Nobody finished signing in.",
    why,
    cause,
  });
}

/** The error for a sign-in that was stopped, for example with Ctrl-C. */
export function signInCancelled(): AuthzClientError {
  return new AuthzClientError("sign_in_cancelled", {
    what: "Signing in was stopped.",
  });
}
