import { type AuthorizedRequest, type AuthzClient, isScope, type TransportAnswer } from "@authz/client";
import { quoted } from "@authz/skills/invisible";
import { EXIT } from "../../exit-code.js";
import { CliError, type CliErrorText } from "../../messages/cli-error.js";
import { isBearable, isIdempotent, retryAfter } from "./retry.js";

/** A request whose answer is answeredRequest: what it asked with, and what its person has there. */
export interface AnsweredRequest {
  url: string;
  method: string;
  /** Undefined for a third party, where permissions of ours decide nothing. */
  permissions?: { used: readonly string[]; held: readonly string[]; known: readonly string[] };
  /** Whether it was not told to be tried again, and could be. */
  isTriedOnce?: boolean;
  /** When the answer came. */
  now: number;
}

/** What a service's answer to a request is answeredRequest by. The kept list of services says it, so that nothing is asked for. */
export async function answeredRequest(
  client: AuthzClient,
  request: AuthorizedRequest,
  now: number,
): Promise<AnsweredRequest> {
  const { url, method = "GET", scopes: asked = [] } = request;
  const plan = await client.planRequest(request).catch(() => undefined);
  const permissions = {
    used: plan?.scopes ?? asked,
    held: plan?.resource.grantedScopes ?? asked,
    known: plan?.resource.supportedScopes ?? asked,
  };
  return { url, method: method.toUpperCase(), permissions, now };
}

/** Whether an answer is a success. */
export function isSuccess({ status }: TransportAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The failure for an answer that is not 2xx. Its body has gone to stdout; this is for stderr. */
export function failureOf(answer: TransportAnswer, request: AnsweredRequest): CliError {
  const { status, headers } = answer;
  const { host } = new URL(request.url);
  const { description, error, scopes } = readChallenge(headers["www-authenticate"] ?? "");
  // The code alone says nothing beside the permissions that it is about.
  const text = description ?? (scopes.length === 0 ? error : undefined);
  const refused = status === 401 || status === 403;
  return new CliError(refused ? "service_refused" : "service_failed", {
    what: refused
      ? `${host} did not allow the request (${String(status)}).`
      : `${host} answered ${String(status)}.`,
    ...wordsFor(answer, request),
    said: text === undefined ? undefined : { by: host, text },
    exitCode: refused ? EXIT.notAllowed : EXIT.failure,
  });
}

type Words = Pick<CliErrorText, "hint" | "next"> & Partial<Pick<CliErrorText, "what" | "why">>;

function wordsFor(answer: TransportAnswer, request: AnsweredRequest): Words {
  const { status } = answer;
  if (status === 304)
    return {
      what: `Nothing has changed at ${new URL(request.url).host} (304).`,
      why: "The request asked for the answer only if it is another one than before.",
      hint: "Use what you have, or leave out the header that says what it is, such as If-None-Match.",
    };
  if (status >= 300 && status < 400) return redirected(answer, request);
  switch (status) {
    case 401:
      return unauthorized(answer);
    case 403:
      return forbidden(answer, request);
    case 404:
    case 410:
      return notThere(request);
    case 405:
      return notThisMethod(answer, request);
    case 409:
    case 412:
      return {
        why: "The state of what the request is about is not what the request expects.",
        hint: "Read it again, then decide whether the request still makes sense.",
      };
    case 429:
      return { why: "It has had too many requests in a short time.", ...wait(answer, request) };
    default:
      return status >= 500 ? failing(answer, request) : wrong();
  }
}

function redirected({ status, headers }: TransportAnswer, { url }: AnsweredRequest): Words {
  return {
    what: `${new URL(url).host} answered with a redirect (${String(status)}), which authz does not follow.`,
    why: `It points to ${headers.location === undefined ? "nowhere" : quoted(headers.location)}. Credentials go only to addresses you name yourself.`,
    hint: "If that address is right, run the request on it.",
  };
}

/**
 * Tells credentials that did not arrive from credentials that are refused. The proof had the time of the service already, so the clock
 * of this computer is not what is wrong.
 */
function unauthorized({ headers }: TransportAnswer): Words {
  const challenge = headers["www-authenticate"];
  const askItsPeople = "Tell the people who run it. The reason is in the service's log.";
  if (challenge === undefined) {
    return {
      why: "Its answer does not say what it wants. Something in front of the service gave it, or removed WWW-Authenticate from it.",
      hint: askItsPeople,
    };
  }
  switch (readChallenge(challenge).error) {
    case undefined:
      return {
        why: "It saw no token. Something in front of the service, such as a proxy, removes the Authorization header.",
        hint: askItsPeople,
      };
    case "invalid_dpop_proof":
      return {
        why: "It saw no proof for this address. A proxy in front of the service removes the DPoP header or changes the address, or the service takes another address for its own.",
        hint: askItsPeople,
      };
    default:
      return {
        why: "It does not accept the token, although it was issued a moment ago.",
        hint: "The reason is in the service's log. Check the session and the server",
        next: { do: "run", words: ["doctor"] },
      };
  }
}

/** The methods that are repeated of an answer. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Asks about the permissions that this request is about, and about no others: nobody is to ask for more than they need. */
function forbidden({ headers }: TransportAnswer, { url, permissions }: AnsweredRequest): Words {
  const { used, held, known } = permissions ?? { used: [], held: [], known: [] };
  // Only what the service is registered with: it could write anything there.
  const scopes = readChallenge(headers["www-authenticate"] ?? "").scopes.filter((scope) =>
    known.includes(scope),
  );
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

function notThere({ permissions }: AnsweredRequest): Words {
  const hint = "Check the path and the names and numbers in it.";
  if (permissions === undefined) return { hint };
  return {
    hint: `${hint} Some services also answer like this when you may not see something. The skills list the addresses`,
    next: { do: "list_skills" },
  };
}

function notThisMethod({ headers }: TransportAnswer, { method }: AnsweredRequest): Words {
  const named = (headers.allow ?? "").split(",").map((each) => each.trim());
  const allowed = METHODS.filter((each) => named.includes(each));
  return {
    why: `Nothing there can be called with ${method}.`,
    hint:
      allowed.length > 0
        ? `It can be called with ${allowed.join(", ")}.`
        : "Choose another method, or check the path.",
  };
}

function failing(answer: TransportAnswer, request: AnsweredRequest): Words {
  if (answer.status === 503) return { why: "It is temporarily unavailable.", ...wait(answer, request) };
  const why = "The fault is on its side.";
  return isIdempotent(request.method)
    ? { why, hint: "Try again later. If it keeps happening, tell the people who run it." }
    : {
        why: `${why} It may have done part of what was asked.`,
        hint: "First check whether it was carried out. If it keeps happening, tell the people who run it.",
      };
}

function wait({ headers }: TransportAnswer, { method, isTriedOnce = false, now }: AnsweredRequest): Words {
  const seconds = retryAfter(headers["retry-after"], now) ?? 0;
  const hint =
    seconds === 0
      ? "Wait a moment, then try again."
      : `Wait ${String(seconds)} second${seconds === 1 ? "" : "s"}, then try again.`;
  if (!isTriedOnce || !isIdempotent(method) || !isBearable(seconds)) return { hint };
  return { hint, next: { do: "add", lead: "Or let authz do it", words: ["--retry", "3"] } };
}

function wrong(): Words {
  return { hint: "The request is not what it expects. Its answer says more: correct the request." };
}

const MAX_TEXT = 500;

/** What a `WWW-Authenticate` header says about a refusal (RFC 6750 §3), in the words of whoever sent it. */
interface Challenge {
  error?: string;
  description?: string;
  /** The permissions that are missing. Only what looks like one: it is offered as part of a command. */
  scopes: readonly string[];
}

/** Reads the challenge that gives a reason; services may send several, and the first that does counts. */
function readChallenge(header: string): Challenge {
  const error = parameter(header, "error");
  const description = parameter(header, "error_description");
  // A service names what its route needs whatever was wrong, also with a token that it does not believe.
  const isAboutScopes = error === undefined || error === "insufficient_scope";
  const scopes = isAboutScopes ? (parameter(header, "scope")?.split(" ") ?? []) : [];
  return {
    ...(error === undefined ? {} : { error }),
    ...(description === undefined ? {} : { description }),
    scopes: scopes.filter(isScope),
  };
}

/** The value of a parameter: a quoted string, or a token. */
function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, "i").exec(
    header,
  );
  const value = match?.[1]?.replaceAll(/\\(.)/g, "$1") ?? match?.[2];
  return value === undefined || value === "" ? undefined : value.slice(0, MAX_TEXT);
}
