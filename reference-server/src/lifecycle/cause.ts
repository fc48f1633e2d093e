import type { AuditActor } from "../audit/events.js";
import type { DisabledBy } from "../store/users.js";
import type { Store } from "../store/store.js";

/** Why something of a person ends: who decided it here, or which word of a provider, with the provider's key. */
export type EndCause =
  | { readonly by: "administrator" | "support"; readonly user: string }
  | {
      readonly by: "scim" | "logout" | "presence" | "signal";
      readonly provider: string;
      /** The type of the provider's event. */
      readonly event?: string;
    };

/** The author and time of a change, and its store: inside a transaction or not. */
export interface LifecycleWork {
  readonly store: Store;
  readonly actor: AuditActor;
  readonly at: Date;
  readonly requestId?: string;
}

/** A cause as events and columns have it. */
export interface RecordedCause {
  readonly cause: EndCause["by"];
  readonly provider?: string;
  readonly event?: string;
}

export function recordedCause(cause: EndCause): RecordedCause {
  if (!("provider" in cause)) return { cause: cause.by };
  const { by, provider, event } = cause;
  return { cause: by, provider, ...(event !== undefined && { event }) };
}

export function disabledBy(cause: EndCause): DisabledBy {
  return "provider" in cause ? { by: "provider", provider: cause.provider } : { by: cause.by };
}

/** Whether the cause must not touch this person: a provider's, about the administrator who is exempt from those. */
export async function isExempt(
  userId: string,
  cause: EndCause,
  { users, settings }: Pick<Store, "users" | "settings">,
): Promise<boolean> {
  if (!("provider" in cause)) return false;
  const [user, { breakGlassEmail }] = await Promise.all([users.find(userId), settings.get()]);
  return breakGlassEmail !== null && user?.email === breakGlassEmail;
}
