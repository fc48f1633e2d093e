import { cleanLine } from "@authz/skills/invisible";
import { asRefusal } from "../../forwarding/refusals.js";
import type { UseRefusal, UseRefusalCode } from "../../forwarding/use-refusal.js";
import { UnavailableError } from "../../platform/http/unavailable-error.js";
import { RateLimitedError } from "../../platform/rate-limits/rate-limiter.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { paths } from "../../protocol/vocabulary.js";
import { maximumScopes } from "../find.js";

/** A tool does not do what an agent asks for. The sentence tells what to do instead, and quotes nothing from outside. */
export class AgentRefusal extends Error {
  override readonly name = "AgentRefusal";
  readonly code: "not_found" | "invalid_request";
  constructor(code: AgentRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** @throws {AgentRefusal} There is no address. */
export function requireAddress(url: URL | undefined): URL {
  if (url !== undefined) return url;
  const message = "The url must be an absolute address, such as https://host/path.";
  throw new AgentRefusal("invalid_request", message);
}

/** @throws {AgentRefusal} */
export function requireFewScopes(scopes: readonly string[]): void {
  if (scopes.length > maximumScopes)
    throw new AgentRefusal("invalid_request", `Name at most ${String(maximumScopes)} scopes.`);
}

/** What a model reads about a refusal: a code, why, and what it can do about it. `undefined` for an unforeseen failure. */
export function describeRefusal(error: unknown, issuer: string): string | undefined {
  const words = wordsFor(error, issuer);
  return words === undefined ? undefined : cleanLine(words.filter((part) => part !== "").join(" "));
}

function wordsFor(error: unknown, issuer: string): readonly string[] | undefined {
  const refusal = asRefusal(error);
  if (refusal !== undefined)
    return [`${refusal.code}:`, refusal.message, sentHint(refusal), hintFor(refusal, issuer)];
  if (error instanceof AgentRefusal || error instanceof OAuthError) return [`${error.code}:`, error.message];
  if (error instanceof RateLimitedError) {
    const seconds = String(error.retryAfterSeconds);
    return [`rate_limited: There were too many requests. Try again in ${seconds} seconds.`];
  }
  if (error instanceof UnavailableError)
    return ["temporarily_unavailable: The server cannot reach its database. Try again in a moment."];
  return undefined;
}

/** How the person connects an account, which an agent cannot do itself. */
export function howToConnect(name: string, issuer: string): string {
  return `Ask the person to connect ${name} at ${issuer}${paths.account}`;
}

function sentHint({ sent }: UseRefusal): string {
  return sent === "maybe" ? "It may have been sent." : "";
}

const hints: Partial<Readonly<Record<UseRefusalCode, string>>> = {
  not_found: "Call list_connections.",
  unknown_service: "Skills say which addresses there are. For a third party, name the connection.",
  target_not_allowed: "Skills and list_connections say which addresses there are.",
};

function hintFor({ code, scope }: UseRefusal, issuer: string): string {
  if (code === "insufficient_scope") {
    const scopes = scope === undefined ? "" : ` and scopes ${JSON.stringify(scope)}`;
    return `Whom to ask: call explain with this url${scopes}.`;
  }
  if (code === "not_connected" || code === "reconnect_required")
    return `The person does that at ${issuer}${paths.account}`;
  return hints[code] ?? "";
}
