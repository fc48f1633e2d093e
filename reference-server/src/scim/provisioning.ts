import type { AuditEvent, AuditEventData, AuditEventType } from "../audit/events.js";
import { recordAllAudits } from "../audit/record.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { Store } from "../store/store.js";
import type { StoredProvisionedUser } from "../store/provisioned-users.js";
import { ScimError } from "./scim-error.js";

/** What every stored resource has. */
export type StoredResource = Pick<StoredProvisionedUser, "id" | "version" | "createdAt" | "updatedAt">;

/** One change by a provider, in its transaction. */
export interface Provisioning {
  readonly provider: IdentityProvider;
  /** Inside of the transaction. */
  readonly store: Store;
  readonly at: Date;
  readonly requestId: string;
  /** The versions in `If-Match`; `undefined`: there is none. */
  readonly seen: readonly number[] | "any" | undefined;
}

interface Done<Type extends AuditEventType> {
  /** The person that it is about. */
  readonly subject?: string;
  readonly data: AuditEventData[Type];
}

/** Records what a provider did. It acts by the server: no person and no client does. */
export async function record<Type extends AuditEventType>(
  type: Type,
  { store, at, requestId }: Provisioning,
  ...done: readonly Done<Type>[]
): Promise<void> {
  const event = { type, outcome: "success", actor: { type: "system" }, at, requestId } as const;
  await recordAllAudits(
    store,
    done.map((one) => ({ ...event, ...one }) as unknown as AuditEvent),
  );
}

/** @throws {ScimError} 412 */
export function requireSeen({ version }: Pick<StoredResource, "version">, { seen }: Provisioning): void {
  if (seen === undefined || seen === "any" || seen.includes(version)) return;
  throw new ScimError(412, "The resource has changed since it was read. Read it again.");
}

export function notFound(kind: "User" | "Group", id: string): ScimError {
  return new ScimError(404, `There is no ${kind} ${id.slice(0, 100)} of this provider.`);
}
