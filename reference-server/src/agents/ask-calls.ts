import type { AgentCalls } from "@authz/agent-tools";
import { ask } from "../access-requests/ask.js";
import { AskError } from "../access-requests/ask-error.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import { resourceAt } from "../permissions/resource-at.js";
import type { RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import type { WantedTarget } from "../access-requests/target.js";
import type { Store } from "../store/store.js";
import { AgentRefusal } from "./agent-refusal.js";
import { serviceRefusals } from "./refusals.js";
import type { MessageContext } from "./routes.js";

export interface AskCallOptions {
  readonly store: Store;
  readonly directories: GroupDirectories;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly now: () => Date;
}

/** As at `/api/me/access-requests`. */
const mostScopes = 50;

/** Asks administrators for what the person lacks, in the words of their agent. */
export function createAskCall(
  { caller, requestId }: MessageContext,
  { store, directories, rateLimiter, now }: AskCallOptions,
): AgentCalls["ask"] {
  return async ({ url, connection, scopes = [], reason }) => {
    const { user, clientId, grant } = caller;
    await rateLimiter.take("ask.person", user.id);
    if (scopes.length > mostScopes)
      throw new AgentRefusal("invalid_request", `Name at most ${String(mostScopes)} scopes.`);
    const wanted = await findWanted(url, connection, store);
    const own = { user, clientId, grantId: grant.id, requestId };
    try {
      const asked = await ask({ ...own, wanted, scopes, reason }, { store, directories, now: now() });
      const { state, scopes: wished } = asked.request;
      return { state, scopes: wished };
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      if (error.code === "unknown_scope" && "resource" in wanted && wanted.resource !== undefined)
        throw serviceRefusals.unknownScopes(wanted.resource, error.scopes);
      const isNowhere = error.code === "unknown_target";
      throw new AgentRefusal(isNowhere ? "not_found" : "invalid_request", error.message);
    }
  };
}

async function findWanted(
  url: string,
  connection: string | undefined,
  { connectors, resources }: Pick<Store, "connectors" | "resources">,
): Promise<WantedTarget> {
  if (connection !== undefined) {
    const connector = connection.includes("\0") ? undefined : await connectors.findByKey(connection);
    return { connector };
  }
  if (url.includes("\0") || !URL.canParse(url)) return { resource: undefined };
  return { resource: resourceAt(new URL(url), await resources.listEnabled()) };
}
