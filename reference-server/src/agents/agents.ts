import type { ServerContext } from "../context.js";
import { authenticateAccessToken, invalidToken } from "../oauth/tokens/authenticate-access-token.js";
import { createIdentifyCaller } from "../oauth/tokens/identify-caller.js";
import { paths } from "../protocol/vocabulary.js";
import { agentsScope } from "../store/system-scopes.js";
import { type AgentCallsOptions, createAgentCalls } from "./agent-calls.js";
import type { McpHandler } from "./mcp-handler.js";
import { createLargeAnswers } from "./read-answer.js";
import { registerAgents } from "./routes.js";

/** The address for agents, and what it keeps from one request to the next: nothing but the library. */
export interface Agents {
  readonly register: (app: Parameters<typeof registerAgents>[0]) => Promise<void>;
  /** Ends what is still being answered. */
  readonly close: () => Promise<void>;
}

export type AgentsParts = Pick<AgentCallsOptions, "forward" | "callService" | "onSkillRead">;

export function createAgents(context: ServerContext, parts: AgentsParts): Agents {
  const { config, store, rateLimiter, refusals, directories, keys, proofVerifier, clock, log } = context;
  const { issuer } = config;
  const audience = `${issuer}${paths.agents}`;
  const now = () => new Date(clock());
  let handler: Promise<McpHandler> | undefined;

  const identify = createIdentifyCaller({
    store,
    directories,
    scope: agentsScope,
    async authenticate(request) {
      const dependencies = { store, keys, proofVerifier, issuer, audience, now: now() };
      const access = await authenticateAccessToken(request, dependencies);
      // It may have been allowed when the token was issued.
      if (!access.keyProven && access.service?.allowsBearer !== true)
        throw invalidToken("bearer_not_allowed");
      return access;
    },
  });

  // Servers that no agent calls do not pay for the library.
  async function openHandler(): Promise<McpHandler> {
    const { createHandler } = await import("./mcp-handler.js");
    return createHandler(({ message }) =>
      log.info({ reason: message }, "A message from an agent was refused."),
    );
  }

  const options = { ...parts, store, issuer, directories, rateLimiter, takeLarge: createLargeAnswers(), now };
  return {
    register: (app) =>
      registerAgents(app, {
        issuer,
        store,
        rateLimiter,
        identify,
        refusalsFrom: refusals.from,
        callsFor: (message) => createAgentCalls(message, options),
        openHandler: () => (handler ??= openHandler()),
      }),
    async close() {
      await (await handler)?.close();
    },
  };
}
