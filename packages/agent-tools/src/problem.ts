import { parseChallenges } from "@authz/dpop/challenges";
import { isScope } from "@authz/dpop/jwt";
import { quoted } from "@authz/skills/invisible";
import type { ToolStep } from "./tool-hint.js";

/** The head of an unsuccessful answer, with lower-case names of headers. */
export interface FailedAnswer {
  status: number;
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The request that was answered: what it asked with, and what its person has there. */
export interface AnsweredRequest {
  url: string;
  method: string;
  /** The name of the connection, for a third party: scopes of ours decide nothing there. */
  connection?: string | undefined;
  /** Scopes that the request used, that the person holds, and that the service has. */
  permissions?: { used: readonly string[]; held: readonly string[]; known: readonly string[] } | undefined;
  /** When the answer came. */
  now: number;
}

/** What an unsuccessful answer means, and what to do about it. */
export interface Problem {
  code: "service_refused" | "service_failed";
  what: string;
  why?: string;
  /** What to do next, in words that `next` continues. */
  hint: string;
  next?: ToolStep | { do: "connect"; connection: string };
  /** The service's own words. */
  quote?: { by: string; text: string };
  /** Set for a service that is busy: how long it wants callers to wait, 0 if it does not say. */
  waitSeconds?: number;
  /** The service saw the token and does not accept it. */
  isTokenRefused?: true;
}

type Words = Partial<Problem> & Pick<Problem, "hint">;

/** What an unsuccessful answer means, for people and for models alike; `undefined` for a success. */
export function problemOf(answer: FailedAnswer, request: AnsweredRequest): Problem | undefined {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return undefined;
  const { host } = new URL(request.url);
  const refused = status === 401 || status === 403;
  const common = {
    code: refused ? "service_refused" : "service_failed",
    what: refused
      ? `${host} did not allow the request (${String(status)}).`
      : `${host} answered ${String(status)}.`,
  } as const;
  if (request.connection !== undefined && refused)
    return { ...common, ...refusedThrough(status, host, request.connection) };
  const { error, description, scopes } = readReason(headers);
  // The code alone says nothing beside the permissions that it is about.
  const text = description ?? (scopes.length === 0 ? error : undefined);
  return {
    ...common,
    ...wordsFor(answer, request),
    ...(text !== undefined && { quote: { by: host, text } }),
  };
}

/** Whether a request may arrive twice (RFC 9110 §9.2.2). */
export function isIdempotent(method: string): boolean {
  return /^(?:GET|HEAD|OPTIONS|PUT|DELETE)$/i.test(method);
}

/** What `Retry-After` asks for: seconds, or a moment (RFC 9110 §10.2.3). */
export function retryAfter(value = "", now: number): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const moment = /^[A-Z][a-z]{2}, .* GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - now) / 1000));
}

function refusedThrough(status: number, host: string, connection: string): Words {
  return status === 401
    ? {
        what: `${host} did not accept your account's access (401).`,
        why: "The server renews it before the next request, unless it got it less than a minute ago.",
        hint: "Try again in a minute. If it keeps happening, connect again",
        next: { do: "connect", connection },
      }
    : {
        why: "Your account there may lack a right, or a scope was left out when it was connected. Its answer may say more.",
        hint: "See what was granted",
        next: { do: "show_connection", connection },
      };
}

function wordsFor(answer: FailedAnswer, request: AnsweredRequest): Words {
  const { status, headers } = answer;
  const { url, method, now } = request;
  if (status === 304)
    return {
      what: `Nothing has changed at ${new URL(url).host} (304).`,
      why: "The request asked for the answer only if it is another one than before.",
      hint: "Use what you have, or leave out the header that says what it is, such as If-None-Match.",
    };
  if (status >= 300 && status < 400) return redirected(answer, url);
  switch (status) {
    case 401:
      return unauthorized(headers);
    case 403:
      return forbidden(headers, request);
    case 404:
    case 410:
      return notThere(request);
    case 405:
      return notThisMethod(headers, method);
    case 409:
    case 412:
      return {
        why: "The state of what the request is about is not what the request expects.",
        hint: "Read it again, then decide whether the request still makes sense.",
      };
    case 429:
      return { why: "It has had too many requests in a short time.", ...wait(headers, now) };
    case 503:
      return { why: "It is temporarily unavailable.", ...wait(headers, now) };
    default:
      return status >= 500
        ? failing(method)
        : { hint: "The request is not what it expects. Its answer says more: correct the request." };
  }
}

function redirected({ status, headers }: FailedAnswer, url: string): Words {
  const location = fieldOf(headers, "location");
  return {
    what: `${new URL(url).host} answered with a redirect (${String(status)}), which authz does not follow.`,
    why: `It points to ${location === undefined ? "nowhere" : quoted(location)}. Credentials go only to addresses you name yourself.`,
    hint: "If that address is right, run the request on it.",
  };
}

/**
 * Tells credentials that did not arrive from credentials that are refused. The proof had the time of the service already, so the clock
 * of this computer is not what is wrong.
 */
function unauthorized(headers: FailedAnswer["headers"]): Words {
  const hint = "Tell the people who run it. The reason is in the service's log.";
  if (fieldOf(headers, "www-authenticate") === undefined) {
    return {
      why: "Its answer does not say what it wants. Something in front of the service gave it, or removed WWW-Authenticate from it.",
      hint,
    };
  }
  switch (readReason(headers).error) {
    case undefined:
      return {
        why: "It saw no token. Something in front of the service, such as a proxy, removes the Authorization header.",
        hint,
      };
    case "invalid_dpop_proof":
      return {
        why: "It saw no proof for this address. A proxy in front of the service removes the DPoP header or changes the address, or the service takes another address for its own.",
        hint,
      };
    default:
      return {
        why: "It does not accept the token, although it was issued a moment ago.",
        hint,
        isTokenRefused: true,
      };
  }
}

/** Asks about the permissions that this request is about, and about no others, so that people ask for no more than they need. */
function forbidden(headers: FailedAnswer["headers"], { url, permissions }: AnsweredRequest): Words {
  const { used, held, known } = permissions ?? { used: [], held: [], known: [] };
  // Only what the service is registered with: it could write anything there.
  const scopes = readReason(headers).scopes.filter((scope) => known.includes(scope));
  const lacking = scopes.filter((scope) => !held.includes(scope));
  const forgotten = scopes.filter((scope) => held.includes(scope) && !used.includes(scope));
  if (lacking.length > 0)
    return {
      why: `It needs these permissions: ${scopes.join(", ")}.`,
      hint: "See what is missing, and whom to ask",
      next: { do: "explain", url, scopes: lacking },
    };
  if (forgotten.length > 0)
    return {
      why: `It needs these permissions: ${scopes.join(", ")}. You have them, but the request did not ask for them.`,
      hint: "Send it again with what it needs",
      next: { do: "add_scope", scopes: forgotten },
    };
  return {
    why: "It names no missing permission. A service may check more than permissions.",
    hint: "Its answer may say more. See the permission that this request used and who gave it",
    next: { do: "explain", url, scopes: used },
  };
}

function notThere({ connection }: AnsweredRequest): Words {
  const hint = "Check the path and the names and numbers in it.";
  if (connection !== undefined) return { hint };
  return {
    hint: `${hint} Some services also answer like this when you may not see something. The skills list the addresses`,
    next: { do: "list_skills" },
  };
}

/** The methods of an answer that are repeated. */
const httpMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

function notThisMethod(headers: FailedAnswer["headers"], method: string): Words {
  const named = (fieldOf(headers, "allow") ?? "").split(",").map((each) => each.trim());
  const allowed = httpMethods.filter((each) => named.includes(each));
  return {
    why: `Nothing there can be called with ${method}.`,
    hint:
      allowed.length > 0
        ? `It can be called with ${allowed.join(", ")}.`
        : "Choose another method, or check the path.",
  };
}

function failing(method: string): Words {
  const why = "The fault is on its side.";
  return isIdempotent(method)
    ? { why, hint: "Try again later. If it keeps happening, tell the people who run it." }
    : {
        why: `${why} It may have done part of what was asked.`,
        hint: "First check whether it was carried out. If it keeps happening, tell the people who run it.",
      };
}

function wait(headers: FailedAnswer["headers"], now: number): Words {
  const waitSeconds = retryAfter(fieldOf(headers, "retry-after"), now) ?? 0;
  const hint =
    waitSeconds === 0
      ? "Wait a moment, then try again."
      : `Wait ${String(waitSeconds)} second${waitSeconds === 1 ? "" : "s"}, then try again.`;
  return { hint, waitSeconds };
}

const maxText = 500;

/** The reason that a service gives (RFC 6750 §3): of the first challenge with an error, or else of the first with scopes. */
function readReason(headers: FailedAnswer["headers"]): {
  error: string | undefined;
  description: string | undefined;
  scopes: readonly string[];
} {
  const challenges = parseChallenges(headers["www-authenticate"]);
  const [parameters] = ["error", "scope", "error_description"].flatMap((name) =>
    challenges.flatMap((each) => (each.parameters.has(name) ? [each.parameters] : [])),
  );
  const textOf = (name: string) => parameters?.get(name)?.slice(0, maxText) || undefined;
  const error = textOf("error");
  // A service names what its route needs in every refusal, also of a token that it does not accept.
  const isAboutScopes = error === undefined || error === "insufficient_scope";
  const scopes = isAboutScopes ? (parameters?.get("scope")?.split(" ") ?? []) : [];
  return { error, description: textOf("error_description"), scopes: scopes.filter(isScope) };
}

function fieldOf(headers: FailedAnswer["headers"], name: string): string | undefined {
  return [headers[name] ?? []].flat().join(", ") || undefined;
}
