import { isScope } from "@authz/client";

const MAX_TEXT = 500;

/** What a `WWW-Authenticate` header says about a refusal (RFC 6750 §3), in the words of whoever sent it. */
export interface Challenge {
  error?: string;
  description?: string;
  /** The permissions that are missing. Only what looks like one: it is offered as part of a command. */
  scopes: readonly string[];
}

/** Reads the challenge that gives a reason; services may send several, and the first that does counts. */
export function readChallenge(header: string): Challenge {
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
