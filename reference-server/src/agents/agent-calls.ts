import type { AgentCalls, AgentConnection } from "@authz/agent-tools";
import { connectionDocument } from "../account/me/connections/documents.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import type { RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import type { Store } from "../store/store.js";
import { howToConnect } from "./describe-refusal.js";
import { createAskCall } from "./ask-calls.js";
import { createExplainCall } from "./explain-calls.js";
import { createRequestCall, type ForwardOptions } from "./request-calls.js";
import type { MessageContext } from "./routes.js";
import { createSkillCalls } from "./skill-calls.js";

export interface AgentCallsOptions extends ForwardOptions {
  readonly store: Store;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly directories: GroupDirectories;
  /** Told of each skill whose instructions are read. */
  readonly onSkillRead: (skillId: string) => void;
}

/** Does what the tools need, with the rights that the caller of one message has at this moment. */
export function createAgentCalls(message: MessageContext, options: AgentCallsOptions): AgentCalls {
  const { store, issuer, rateLimiter, now, onSkillRead } = options;
  const { user, permissions, client } = message.caller;
  const take = () => rateLimiter.take("skills.person", user.id);
  return {
    issuer,
    ...createSkillCalls({ store, permissions, take, onSkillRead, now }),
    async connections() {
      const [own, connectors] = await Promise.all([
        store.connections.listOwn(user.id),
        store.connectors.listEnabled(),
      ]);
      return connectors.map((connector): AgentConnection => {
        const connection = own.find(({ connectorId }) => connectorId === connector.id);
        const label = connection?.account.label ?? undefined;
        return { ...connectionDocument(connector, connection, permissions), account: { label } };
      });
    },
    howToConnect: ({ name }) => howToConnect(name, issuer),
    request: createRequestCall(message, options),
    explain: createExplainCall({ store, issuer, user, permissions, client }),
    ask: createAskCall(message, options),
  };
}
