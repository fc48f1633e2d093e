import { type AgentCalls, describeGap, type SkillGap } from "@authz/agent-tools";
import type { GroupDirectories } from "../../permissions/groups/directories.js";
import type { RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import type { Store } from "../../store/store.js";
import { ask, AskError, findRequestable } from "../access-requests/ask.js";
import { listConnections } from "../connections.js";
import { serviceRefusals } from "../service-calls/refusals.js";
import { gapDocument, SkillMissing, type Skills } from "../skills.js";
import { AgentRefusal, howToConnect, requireFewScopes } from "./describe-refusal.js";
import { createExplainTool } from "./explain-tool.js";
import { createRequestTool, type MessageContext, type RequestToolOptions } from "./request-tool.js";

export interface ToolOptions extends RequestToolOptions {
  readonly store: Store;
  readonly skills: Skills;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly directories: GroupDirectories;
}

/** Does what the tools need, with the rights that the caller of one message has at this moment. */
export function createAgentCalls(message: MessageContext, options: ToolOptions): AgentCalls {
  const { store, issuer, skills } = options;
  const { caller } = message;
  return {
    issuer,
    async skills() {
      const { items, incomplete = [], installation } = await skills.list(caller);
      return {
        items: items.map((item) => ({ description: undefined, ...item })),
        incomplete: incomplete.map(toGap),
        installation: { name: installation.name, instructions: installation.instructions },
      };
    },
    skill: async (id) =>
      await orRefuse("skill with this id", async () => ({
        description: undefined,
        ...(await skills.read(caller, id)),
      })),
    skillFile: async (id, path) =>
      await orRefuse("file with this path in a skill with this id", () => skills.file(caller, { id, path })),
    async connections() {
      const connections = await listConnections(caller, store);
      return connections.map(({ account, ...connection }) => ({
        ...connection,
        account: { label: account?.label },
      }));
    },
    howToConnect: ({ name }) => howToConnect(name, issuer),
    request: createRequestTool(message, options),
    explain: createExplainTool(caller, { store, issuer }),
    ask: createAskTool(message, options),
  };
}

/** @throws {AgentRefusal} The person sees no such skill. */
async function orRefuse<Found>(what: string, find: () => Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof SkillMissing)) throw error;
    const why = error.gap === undefined ? "Call find_skills." : describeGap(toGap(gapDocument(error.gap)));
    throw new AgentRefusal("not_found", `There is no ${what} among those you can see. ${why}`);
  }
}

function toGap({ resource, name = resource, state, fetchedAt }: ReturnType<typeof gapDocument>): SkillGap {
  return { resource, name, state, fetchedAt };
}

/** Asks administrators for what the person lacks, with the reason that their agent gives. */
function createAskTool(
  { caller, requestId }: MessageContext,
  { store, directories, rateLimiter, now }: ToolOptions,
): AgentCalls["ask"] {
  return async ({ url, connection, scopes = [], reason }) => {
    const { user, clientId, grant } = caller;
    await rateLimiter.take("ask.person", user.id);
    requireFewScopes(scopes);
    const named = connection === undefined ? { url } : { connector: connection };
    const at = await findRequestable(named, store);
    const own = { user, clientId, grantId: grant.id, requestId };
    try {
      const { request } = await ask({ ...own, at, scopes, reason }, { store, directories, now: now() });
      return { state: request.state, scopes: request.scopes };
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      if (error.code === "unknown_scope" && at?.resource !== undefined)
        throw serviceRefusals.unknownScopes(at.resource, error.scopes);
      const isNowhere = error.code === "unknown_target";
      throw new AgentRefusal(isNowhere ? "not_found" : "invalid_request", error.message);
    }
  };
}
