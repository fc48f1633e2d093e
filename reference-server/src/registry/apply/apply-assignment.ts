import { randomUUID } from "node:crypto";
import type { Assignment, NewAssignment } from "../../store/assignments.js";
import { RegistryError } from "./registry-error.js";
import type { RegistryFile } from "./registry-file.js";
import type { Work } from "./work.js";

type WantedAssignment = RegistryFile["assignments"][number];

/** Whom the scopes are for: what is stored, how it is found again, and how it stands in the audit trail. */
interface Assignee {
  readonly stored: readonly Assignment[];
  readonly audited:
    | { readonly email: string }
    | { readonly group: { readonly provider: string; readonly key: string } };
  readonly create: (scope: string) => NewAssignment;
}

export async function applyAssignment(wanted: WantedAssignment, work: Work): Promise<void> {
  const { store, at, audit } = work;
  const { stored, audited, create } = await findAssignee(wanted, work);
  const missing = new Set(wanted.scopes);
  for (const { id, scope } of stored) {
    if (missing.delete(scope)) continue;
    await store.assignments.remove(id);
    await audit({ type: "assignment.removed", data: { ...audited, scope } });
  }
  for (const scope of missing) {
    await store.assignments.insertMissing(create(scope), at);
    await audit({ type: "assignment.created", data: { ...audited, scope } });
  }
}

async function findAssignee(wanted: WantedAssignment, { store }: Work): Promise<Assignee> {
  if ("email" in wanted) {
    const { email } = wanted;
    return {
      stored: await store.assignments.listByEmail(email),
      audited: { email },
      create: (scope) => ({ id: randomUUID(), email, scope }),
    };
  }
  const { provider, key } = wanted.group;
  const found = await store.groupProviders.findByKey(provider);
  if (found === undefined) {
    throw new RegistryError([`assignments: "${provider}" is not the key of a group provider`]);
  }
  const group = { providerId: found.id, key };
  return {
    stored: await store.assignments.listByGroup(group),
    audited: { group: { provider, key } },
    create: (scope) => ({ id: randomUUID(), group, scope }),
  };
}
