import type { Connection } from "@authz/client";
import { quoted } from "@authz/skills/invisible";
import type { NextStep } from "../../messages/next-step.js";

const stateWords: Readonly<Record<Connection["state"], string>> = {
  connected: "connected",
  not_connected: "not connected",
  reconnect_required: "connect again",
  disconnecting: "disconnecting",
};

/** The state of a connection in a word or two. */
export function stateWord({ state }: Connection): string {
  return stateWords[state];
}

/** Whether the person has the permissions that using it takes. */
export function isAllowed({ missingScopes }: Connection): boolean {
  return missingScopes.length === 0;
}

/** What the third party gave: a scope that the connector offers as it is, any other as the third party's word. */
export function grantedWords({
  grantedScopes,
  offeredScopes,
}: Pick<Connection, "grantedScopes" | "offeredScopes">): readonly string[] {
  return grantedScopes.map((scope) =>
    offeredScopes.some((offered) => offered.scope === scope) ? scope : quoted(scope),
  );
}

/** How to connect an account. */
export function connectStep({ connector }: Pick<Connection, "connector">): NextStep {
  return { do: "connect", connection: connector };
}

/** A first request to try. */
export function exampleStep({ connector, requestPrefixes }: Connection): NextStep {
  return { do: "run", words: ["request", "--connection", connector, requestPrefixes[0] ?? "URL"] };
}
