import type { Store } from "../../store/store.js";
import { note } from "../door/note.js";
import type { Message } from "../../text/message.js";

/** Comparing more would take longer than a preview may. */
const maximumScopes = 100;

/** Which scopes a preview compares, and what it has to say when that is not all. */
export interface ComparedScopes {
  readonly scopes: readonly string[];
  readonly notes: readonly Message[];
}

/** The scopes that people have by groups of a group provider. */
export async function loadScopesOfGroups(store: Store, groupProviderId: string): Promise<ComparedScopes> {
  const scopes = await store.groupProviders.listAssignedScopes(groupProviderId);
  if (scopes.length <= maximumScopes) return { scopes, notes: [] };
  return {
    scopes: scopes.slice(0, maximumScopes),
    notes: [note("compared", { compared: maximumScopes, all: scopes.length })],
  };
}
