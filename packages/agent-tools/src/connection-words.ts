import { type AgentConnection, thirdPartyWords } from "./agent-connection.js";
import { type AskedAccess, describeRequest, type PermissionAnswer, personOf } from "./permission-words.js";

/** Everything that is known about whether a request through a connection is allowed. */
export interface ConnectionAnswer {
  connection: Pick<AgentConnection, "name" | "methods" | "missingScopes" | "account" | "grantedScopes"> & {
    /** Whether the person can ask administrators for what is missing. */
    requestable?: boolean | undefined;
    /** The person's pending request, or the one decided last. */
    request?: AskedAccess | undefined;
  };
  /** Anything but a missing permission that denies the request, and what to do about it. */
  obstacle: string | undefined;
  me: PermissionAnswer["me"];
}

/** The answer for a model: what the third party says about the account stands apart from our verdict. */
export function connectionBrief(answer: ConnectionAnswer): object {
  const { connection, obstacle } = answer;
  const asks = connection.requestable === true;
  const allowed = obstacle === undefined && connection.missingScopes.length === 0;
  return {
    verdict: connectionVerdict(answer),
    // A person who can ask through us needs no text to send.
    message: asks ? undefined : connectionMessage(answer),
    asked: connection.request && describeRequest(connection.request),
    next: asks ? "ask" : undefined,
    thirdParty: allowed ? thirdPartyWords(connection) : undefined,
  };
}

/** The answer in one or two sentences. */
export function connectionVerdict({ connection, obstacle, me }: ConnectionAnswer): string {
  const { name, methods, missingScopes } = connection;
  if (missingScopes.length > 0) {
    const missing = `${missingScopes.join(", ")} ${missingScopes.length > 1 ? "are" : "is"} missing`;
    return `${missing} to use ${name}. Ask an administrator of ${me.installation.name}.`;
  }
  return obstacle ?? `You may do this, with ${methods.join(", ")}: your account at ${name} is connected.`;
}

/** What to tell the administrator, ready to be passed on; undefined when no permission is missing. */
export function connectionMessage({ connection, me }: ConnectionAnswer): string | undefined {
  const { missingScopes, name } = connection;
  if (missingScopes.length === 0) return undefined;
  const permissions = `permission${missingScopes.length > 1 ? "s" : ""} ${missingScopes.join(", ")}`;
  return `Please give ${personOf(me)} the ${permissions}, to use ${name}.`;
}
