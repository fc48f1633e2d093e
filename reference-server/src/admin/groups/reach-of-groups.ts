import type { Store } from "../../store/store.js";
import type { Sentence } from "../texts/texts.js";

/** Comparing everybody for more would take longer than anybody waits for a preview. */
const maximumScopes = 100;

/** Which scopes a preview compares, and what it has to say when that is not all. */
export interface ComparedScopes {
  readonly scopes: readonly string[];
  readonly notes: readonly Sentence[];
}

/** The scopes that people have by groups of a group provider. */
export async function loadScopesOfGroups(store: Store, groupProviderId: string): Promise<ComparedScopes> {
  const scopes = await store.groupProviders.listAssignedScopes(groupProviderId);
  if (scopes.length <= maximumScopes) return { scopes, notes: [] };
  return {
    scopes: scopes.slice(0, maximumScopes),
    notes: [({ notes }) => notes.compared(maximumScopes, scopes.length)],
  };
}
