import type { Permissions } from "../permissions/effective-scopes.js";
import type { Client } from "../store/clients.js";
import type { Grant } from "../store/grants.js";
import type { User } from "../store/users.js";

/** The person behind an agent's request, and what they and their client may do at this moment. */
export interface AgentCaller {
  readonly user: User;
  readonly grant: Grant;
  readonly clientId: string;
  /** Within the client's ceiling. */
  readonly permissions: Permissions;
  readonly client: Pick<Client, "limited" | "ceiling">;
}
