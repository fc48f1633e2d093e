import type { Connection } from "@authz/client";

const STATE_WORDS: Readonly<Record<Connection["state"], string>> = {
  connected: "connected",
  not_connected: "not connected",
  reconnect_required: "connect again",
  disconnecting: "disconnecting",
};

/** The state of a connection in a word or two. */
export function stateWord({ state }: Connection): string {
  return STATE_WORDS[state];
}

/** Whether the person has the permissions that using it takes. */
export function isAllowed({ missingScopes }: Connection): boolean {
  return missingScopes.length === 0;
}

/** The command that connects an account. */
export function connectCommand({ connector }: Pick<Connection, "connector">): string {
  return `authz connections connect ${connector}`;
}

/** A first request to try. */
export function exampleRequest({ connector, requestPrefixes }: Connection): string {
  return `authz request --connection ${connector} ${requestPrefixes[0] ?? "URL"}`;
}
