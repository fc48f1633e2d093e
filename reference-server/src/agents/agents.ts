import type { ServerContext } from "../context.js";
import { authenticateAccessToken, invalidToken } from "../oauth/tokens/authenticate-access-token.js";
import { createIdentifyCaller } from "../oauth/tokens/identify-caller.js";
import type { Resource } from "../store/resources.js";
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
  const { config, store, rateLimiter, refusals, directories, clock, log } = context;
  const { issuer } = config;
  const now = () => new Date(clock());
  let handler: Promise<McpHandler> | undefined;

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
        identify: (request, resource) => identifierFor(resource, context)(request),
        refusalsFrom: refusals.from,
        callsFor: (message) => createAgentCalls(message, options),
        openHandler: () => (handler ??= openHandler()),
      }),
    async close() {
      await (await handler)?.close();
    },
  };

  function identifierFor(resource: Resource, { keys, proofVerifier }: ServerContext) {
    return createIdentifyCaller({
      store,
      directories,
      scope: agentsScope,
      async authenticate(request) {
        const audience = resource.resource;
        const dependencies = { store, keys, proofVerifier, issuer, audience, now: now() };
        const access = await authenticateAccessToken(request, dependencies);
        // It may have been allowed when the token was issued.
        if (!access.keyProven && !resource.allowsBearer) throw invalidToken("bearer_not_allowed");
        return access;
      },
    });
  }
}
