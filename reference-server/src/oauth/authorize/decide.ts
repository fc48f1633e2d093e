import { loginScope } from "../../policy/system-scopes.js";
import { OAuthError } from "../oauth-error.js";
import type { Prompt } from "./request.js";

/** What is known when a browser arrives with an authorization request. */
export interface AuthorizationSituation {
  readonly request: {
    readonly prompts: ReadonlySet<Prompt>;
    readonly maxAgeSeconds: number | undefined;
    readonly createdAt: Date;
  };
  readonly session: { readonly signedInAt: Date; readonly authTime: Date } | undefined;
  /** Whether the signed-in person is enabled and holds the permission to use the client. */
  readonly permitted: boolean;
  readonly installationName: string;
  readonly now: Date;
}

export type AuthorizationStep =
  | { readonly kind: "sign-in"; readonly prompt: "login" | "select_account" | undefined }
  | { readonly kind: "consent" }
  | { readonly kind: "refuse"; readonly error: OAuthError };

/** The next step of an authorization request: sign in, ask the person, or refuse. */
export function decideAuthorization(situation: AuthorizationSituation): AuthorizationStep {
  const { request, session, permitted, installationName } = situation;
  const silent = request.prompts.has("none");
  if (session === undefined) {
    return silent
      ? refuse("login_required", "no_session", "Nobody is signed in in this browser.")
      : signIn(request.prompts);
  }
  const stale = staleness(situation, session);
  if (stale === "ask") {
    return silent
      ? refuse("login_required", "session_too_old", "The sign-in is too long ago.")
      : signIn(request.prompts, "login");
  }
  if (stale === "ignored") {
    return refuse(
      "login_required",
      "upstream_kept_session",
      "The company's sign-in did not ask for the password again.",
    );
  }
  if (!permitted) return { kind: "refuse", error: notPermitted(installationName) };
  // RFC 8252 §8.6: a native client cannot prove who it is, so a person answers every time.
  if (silent)
    return refuse(
      "consent_required",
      "prompt_none",
      "The person must be asked, so prompt=none cannot succeed.",
    );
  return { kind: "consent" };
}

/** The refusal for somebody who may not use the command-line client, with whom to ask. */
function notPermitted(installationName: string): OAuthError {
  return new OAuthError(
    "access_denied",
    "login_permission_missing",
    `The account you signed in with does not have the permission ${loginScope}. Ask an administrator of ${installationName} for it.`,
  );
}

/** How far apart the provider's clock may be from ours. */
const clockToleranceSeconds = 60;

/**
 * Whether a session is what the request asks for. A sign-in since the request counts, also one in another tab of this
 * browser: where the person has to authenticate anew, the provider's own time decides, so a silent one is not enough.
 */
function staleness(
  { request, now }: AuthorizationSituation,
  session: { readonly signedInAt: Date; readonly authTime: Date },
): "fresh" | "ask" | "ignored" {
  const signedInForThis = session.signedInAt >= request.createdAt;
  const tooOld =
    request.maxAgeSeconds !== undefined && secondsBetween(session.authTime, now) > request.maxAgeSeconds;
  const isAsked = request.prompts.has("login") || request.prompts.has("select_account");
  if (!signedInForThis) return isAsked || request.maxAgeSeconds === 0 || tooOld ? "ask" : "fresh";
  const anew = secondsBetween(request.createdAt, session.authTime) >= -clockToleranceSeconds;
  if (request.maxAgeSeconds === 0) return anew ? "fresh" : "ignored";
  return tooOld || (request.prompts.has("login") && !anew) ? "ignored" : "fresh";
}

function signIn(asked: ReadonlySet<Prompt>, fallback?: "login"): AuthorizationStep {
  if (asked.has("login")) return { kind: "sign-in", prompt: "login" };
  if (asked.has("select_account")) return { kind: "sign-in", prompt: "select_account" };
  return { kind: "sign-in", prompt: fallback };
}

function refuse(
  code: "login_required" | "consent_required",
  reason: string,
  message: string,
): AuthorizationStep {
  return { kind: "refuse", error: new OAuthError(code, reason, message) };
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}
