import { remoteServer } from "@authz/agent-tools/hosts";
import type { AgentsSection } from "../pages/agents-section.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import type { Store } from "../store/store.js";
import { agentsScope } from "../store/system-scopes.js";
import { loadPeopleToAsk } from "./permissions.js";

/** Whether this server has an address for agents now: an administrator may switch it off. */
export async function takesAgents(issuer: string, { resources }: Pick<Store, "resources">): Promise<boolean> {
  return (await resources.findByIdentifier(remoteServer(issuer).url))?.enabled === true;
}

/** What a person needs to connect an agent; `undefined` while nobody can. */
export async function loadAgentsSection(
  permissions: Permissions,
  { store, issuer }: { readonly store: Pick<Store, "assignments" | "resources">; readonly issuer: string },
): Promise<AgentsSection | undefined> {
  if (!(await takesAgents(issuer, store))) return undefined;
  return { issuer, askForAgents: await loadPeopleToAsk(agentsScope, permissions, store) };
}
