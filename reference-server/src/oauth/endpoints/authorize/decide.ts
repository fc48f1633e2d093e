import type { BrowserSession } from "../../../store/browser-sessions.js";
import { loginScope } from "../../../store/system-scopes.js";
import { directoryAway } from "../../../permissions/groups/directory-away.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import type { Prompt } from "./request.js";

/** Everything that decides over an authorization request in a browser. */
export interface AuthorizationSituation {
  readonly request: {
    readonly prompts: ReadonlySet<Prompt>;
    readonly maxAgeSeconds: number | undefined;
    readonly createdAt: Date;
  };
  readonly session: KnownSession | undefined;
  /**
   * Whether the signed-in person is enabled and holds what it takes: the permission to act for oneself, or anything of what is
   * asked for at the service. `unknown`: a directory is unavailable. `ruled`: what they hold goes through this server only.
   */
  readonly permission: "held" | "missing" | "unknown" | "ruled";
  /** A stop applies: to the person, the app, both, the service, or everything. */
  readonly stopped: boolean;
  /** Absent: it is about this server's own API. */
  readonly serviceName?: string | undefined;
  readonly installationName: string;
  readonly now: Date;
}

/** When a session's user authenticated. */
export type KnownSession = Pick<BrowserSession, "signedInAt" | "authTime" | "askedAnewAt">;

export type AuthorizationStep =
  | { readonly kind: "sign-in"; readonly prompt: "login" | "select_account" | undefined }
  | { readonly kind: "consent" }
  /** `lacks`: the person lacks permissions, and may request them. */
  | { readonly kind: "refuse"; readonly error: OAuthError; readonly lacks: boolean }
  /** Nothing is decided, and the request stays open. */
  | { readonly kind: "unavailable"; readonly error: OAuthError };

/** The next step of an authorization request: sign in, ask the person, or refuse. */
export function decideAuthorization(situation: AuthorizationSituation): AuthorizationStep {
  const { request, session, permission, stopped } = situation;
  if (request.prompts.has("none")) return refuse(decideSilently(situation));
  if (session === undefined) return signIn(request.prompts);
  const stale = staleness(situation, session);
  if (stale === "ask") return signIn(request.prompts, "login");
  if (stale !== "fresh") return refuse(notFresh(stale));
  if (stopped) return refuse(signInStopped(situation));
  if (permission === "unknown") return { kind: "unavailable", error: directoryAway() };
  if (permission === "ruled") return refuse(leftToRules(situation));
  if (permission === "missing") return { kind: "refuse", error: notPermitted(situation), lacks: true };
  return { kind: "consent" };
}

function refuse(error: OAuthError): AuthorizationStep {
  return { kind: "refuse", error, lacks: false };
}

/** An earlier consent does not sign in what was stopped, and neither does a new one. */
function signInStopped({ installationName }: Pick<AuthorizationSituation, "installationName">): OAuthError {
  const message = `This was stopped, by an administrator of ${installationName} or by the person on their own page there. Sign in once it was started again.`;
  return new OAuthError("access_denied", "stopped", message);
}

/**
 * The refusal of a request without any page. Consent is asked for every time (RFC 8252 §8.6), so permissions do not matter here: an app
 * without any consent must not learn them.
 */
export function decideSilently({
  session,
  ...situation
}: Pick<AuthorizationSituation, "request" | "session" | "now">): OAuthError {
  if (session === undefined) return loginRequired("no_session", "Nobody is signed in on this browser.");
  const stale = staleness(situation, session);
  if (stale === "ask") return loginRequired("session_too_old", "The sign-in was too long ago.");
  if (stale !== "fresh") return notFresh(stale);
  const message = "The person must be asked, so prompt=none cannot succeed.";
  return new OAuthError("consent_required", "prompt_none", message);
}

/** The refusal for a user who holds none of the requested scopes, with whom to ask. */
export function notPermitted({
  installationName,
  serviceName,
}: Pick<AuthorizationSituation, "installationName" | "serviceName">): OAuthError {
  if (serviceName !== undefined) {
    const message = `The account you signed in with has no permission for this at ${serviceName}. Ask an administrator of ${installationName} for it.`;
    return new OAuthError("access_denied", "nothing_granted", message);
  }
  return new OAuthError(
    "access_denied",
    "login_permission_missing",
    `The account you signed in with does not have the permission ${loginScope}. Ask an administrator of ${installationName} for it.`,
  );
}

/** The refusal of an app that would call a service directly, past its rules. */
function leftToRules({ serviceName = "" }: Pick<AuthorizationSituation, "serviceName">): OAuthError {
  const message = `Rules of ${serviceName} decide about each of its calls, so apps call it through this server: with the tool request at its address for agents.`;
  return new OAuthError("access_denied", "scopes_in_rules", message);
}

/** Tolerance between the provider's clock and this server's. */
const clockToleranceSeconds = 60;

/** `ignored`: the provider did not authenticate anew when asked to; `unknown`: it does not report when it did. */
export type Staleness = "fresh" | "ask" | "ignored" | "unknown";

/**
 * Whether a session is as fresh as the request requires. Where the user has to authenticate anew, a sign-in since the request is not
 * enough: the provider must have been asked to, by a sign-in that began after the request. The time that it reports can only contradict
 * that. A session in another tab of this browser counts like one of this tab.
 */
export function staleness(
  { request, now }: Pick<AuthorizationSituation, "request" | "now">,
  session: KnownSession,
): Staleness {
  const { prompts, maxAgeSeconds, createdAt } = request;
  if (prompts.has("select_account") && session.signedInAt < createdAt) return "ask";
  const asked = session.askedAnewAt !== null && session.askedAnewAt >= createdAt;
  if (prompts.has("login") || maxAgeSeconds === 0) {
    if (!asked) return "ask";
    if (isEarlier(session)) return "ignored";
  }
  if (maxAgeSeconds === undefined) return "fresh";
  // An ID token that answers a request with max_age has auth_time, and only the provider knows it.
  if (session.authTime === null) return asked ? "unknown" : "ask";
  if (maxAgeSeconds === 0 || secondsBetween(session.authTime, now) <= maxAgeSeconds) return "fresh";
  const wasTooOld = secondsBetween(session.authTime, session.signedInAt) > maxAgeSeconds;
  return asked && wasTooOld ? "ignored" : "ask";
}

/** Whether the provider reports an authentication before it was asked for one. */
function isEarlier({ authTime, askedAnewAt }: KnownSession): boolean {
  if (authTime === null || askedAnewAt === null) return false;
  return secondsBetween(authTime, askedAnewAt) > clockToleranceSeconds;
}

function signIn(asked: ReadonlySet<Prompt>, fallback?: "login"): AuthorizationStep {
  if (asked.has("login")) return { kind: "sign-in", prompt: "login" };
  if (asked.has("select_account")) return { kind: "sign-in", prompt: "select_account" };
  return { kind: "sign-in", prompt: fallback };
}

function notFresh(stale: "ignored" | "unknown"): OAuthError {
  return stale === "ignored"
    ? loginRequired("provider_kept_session", "The company's sign-in did not ask for the password again.")
    : loginRequired(
        "provider_auth_time_missing",
        "The company's sign-in does not say when it asked for the password, so max_age cannot be met.",
      );
}

function loginRequired(reason: string, message: string): OAuthError {
  return new OAuthError("login_required", reason, message);
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}
