import type { ServerContext } from "../context.js";
import { checkAccess, invalidToken } from "../oauth/tokens/authenticate-access-token.js";
import { createShowCaller } from "../oauth/tokens/identify-caller.js";
import { paths } from "../protocol/vocabulary.js";
import { agentsScope } from "../store/system-scopes.js";
import type { CallsAheadOptions } from "./calls-ahead.js";
import { type AgentCallsOptions, createAgentCalls } from "./agent-calls.js";
import type { McpHandler } from "./mcp-handler.js";
import { registerAgents } from "./routes.js";

/** The address for agents, and what it keeps from one request to the next: nothing but the library. */
export interface Agents {
  readonly register: (app: Parameters<typeof registerAgents>[0]) => Promise<void>;
  /** Ends what is still being answered. */
  readonly close: () => Promise<void>;
}

export type AgentsParts = CallsAheadOptions &
  Pick<AgentCallsOptions, "forward" | "callService" | "onSkillRead">;

export function createAgents(context: ServerContext, parts: AgentsParts): Agents {
  const { config, store, rateLimiter, refusals, directories, keys, proofChecker, clock, log } = context;
  const { issuer } = config;
  const audience = `${issuer}${paths.agents}`;
  const now = () => new Date(clock());
  let handler: Promise<McpHandler> | undefined;

  const show = createShowCaller({
    store,
    directories,
    proofChecker,
    scope: agentsScope,
    check: (request) => checkAccess(request, { keys, proofChecker, issuer, audience, now: now() }),
    require({ keyProven, service }) {
      // It may have been allowed when the token was issued.
      if (!keyProven && service?.allowsBearer !== true) throw invalidToken("bearer_not_allowed");
    },
  });

  // Servers that no agent calls do not pay for the library.
  async function openHandler(): Promise<McpHandler> {
    const { createHandler } = await import("./mcp-handler.js");
    return createHandler(({ message }) =>
      log.info({ reason: message }, "A message from an agent was refused."),
    );
  }

  const options = { ...parts, store, issuer, directories, rateLimiter, now };
  return {
    register: (app) =>
      registerAgents(app, {
        issuer,
        store,
        rateLimiter,
        show,
        callServiceAhead: parts.callServiceAhead,
        forwardAhead: parts.forwardAhead,
        refusalsFrom: refusals.from,
        callsFor: (message) => createAgentCalls(message, options),
        openHandler: () => (handler ??= openHandler()),
      }),
    async close() {
      await (await handler)?.close();
    },
  };
}
