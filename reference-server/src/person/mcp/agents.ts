import type { ServerContext } from "../../context.js";
import type { ForwardThroughConnection } from "../../connectors/use/forward-request.js";
import { checkAccess, invalidToken } from "../../oauth/tokens/authenticate-access-token.js";
import { createCredentialVerifier } from "../../oauth/tokens/identify-caller.js";
import { paths } from "../../protocol/vocabulary.js";
import { agentsScope } from "../../store/system-scopes.js";
import type { CallService } from "../service-calls/call-service.js";
import type { Skills } from "../skills.js";
import type { McpHandler } from "./mcp-handler.js";
import { registerAgents } from "./routes.js";
import { createAgentCalls } from "./tools.js";

/** The address for agents. Between requests it keeps nothing but the library. */
export interface Agents {
  readonly register: (app: Parameters<typeof registerAgents>[0]) => Promise<void>;
  /** Ends what is still being answered. */
  readonly close: () => Promise<void>;
}

export interface AgentsOptions {
  readonly skills: Skills;
  readonly forward: ForwardThroughConnection;
  readonly callService: CallService;
}

export function createAgents(context: ServerContext, options: AgentsOptions): Agents {
  const { config, store, rateLimiter, refusals, directories, keys, proofChecker, clock, log } = context;
  const { issuer } = config;
  const audience = `${issuer}${paths.agents}`;
  const now = () => new Date(clock());
  let handler: Promise<McpHandler> | undefined;

  const verify = createCredentialVerifier({
    store,
    directories,
    proofChecker,
    issuer,
    scope: agentsScope,
    check: (request) => checkAccess(request, { keys, proofChecker, issuer, audience, now: now() }),
    require({ keyProven, service }) {
      // It may have been allowed when the token was issued.
      if (!keyProven && service?.allowsBearer !== true) throw invalidToken("bearer_not_allowed");
    },
  });

  // Loaded when the first agent calls: other servers do not pay for the library.
  async function openHandler(): Promise<McpHandler> {
    const { createHandler } = await import("./mcp-handler.js");
    return createHandler(({ message }) =>
      log.info({ reason: message }, "A message from an agent was refused."),
    );
  }

  const toolOptions = { ...options, store, issuer, directories, rateLimiter, now };
  return {
    register: (app) =>
      registerAgents(app, {
        issuer,
        store,
        rateLimiter,
        verify,
        refusalsFrom: refusals.from,
        callsFor: (message) => createAgentCalls(message, toolOptions),
        openHandler: () => (handler ??= openHandler()),
      }),
    async close() {
      await (await handler)?.close();
    },
  };
}
