import type { AdminAuditEvent, AuditLink } from "@admin/audit";
import { screenPath, useSearch, withQuery } from "../../address/links";
import { hasText, useText } from "../../text/text";
import { Status } from "../../parts/identifier";

const tones = { success: "good", denied: "bad", failed: "warning" } as const;

export function OutcomeStatus({ outcome }: { readonly outcome: AdminAuditEvent["outcome"] }) {
  const t = useText();
  return <Status tone={tones[outcome]}>{t(`audit.outcomes.${outcome}`)}</Status>;
}

/** Returns a function that names a type of event; one that this console does not know stands as it is. */
export function useTypeName(): (type: string) => string {
  const t = useText();
  return (type) => {
    const key = `audit.types.${type}`;
    return hasText(key) ? t(key) : type;
  };
}

const scopePattern = /^[a-z0-9-]+:[a-z0-9-]+$/;

/**
 * The explanation of what was denied: the person, the service and the scopes are filled in. With connections most refusals have nothing to do
 * with permissions, so there is one only when some were missing.
 */
export function explainPath(event: AdminAuditEvent): string | undefined {
  const { outcome, subject, actor, data, links } = event;
  const email = subject?.email ?? (actor.type === "user" ? actor.email : null);
  if (outcome !== "denied" || email === null) return undefined;
  const { scopes } = data;
  if (event.type.startsWith("connection.") && scopes === undefined) return undefined;
  return withQuery("/explain", {
    email,
    resource: links.find(({ type }) => type === "resource")?.id,
    scope: Array.isArray(scopes)
      ? scopes.filter((scope): scope is string => typeof scope === "string" && scopePattern.test(scope))
      : [],
  });
}

/** Whom an event names that is about nobody who has signed in: an address, or a group. */
export function namedIn({ email, group }: AdminAuditEvent["data"]): string | undefined {
  if (typeof email === "string") return email;
  const key = typeof group === "object" && group !== null && "key" in group ? group.key : undefined;
  return typeof key === "string" ? key : undefined;
}

/** What an app calls itself, with the host that it has proven. */
export function clientName({ id, name, host }: NonNullable<AdminAuditEvent["client"]>): string {
  if (name === null) return id;
  return host === null ? name : `${name} (${host})`;
}

/** The screen of an object that an event is about. Whether it still exists, the screen says. */
export function objectPath({ type, id }: AuditLink): string {
  switch (type) {
    case "user":
      return screenPath("users", id);
    case "client":
      return screenPath("clients", id);
    case "scope":
      return screenPath("scopes", id);
    case "resource":
      return screenPath("resources", id);
    case "identity-provider":
      return screenPath("identity-providers", id);
    case "group-provider":
      return screenPath("group-providers", id);
    case "skill":
      return screenPath("skills", id);
    case "catalog":
      return screenPath("catalogs", id);
    case "signing-key":
      return "/signing-keys";
    case "connector":
      return screenPath("connectors", id);
    case "session":
      return "/sessions";
    case "grant":
      return "/sessions/devices";
    case "settings":
      return "/settings";
    case "assignment":
    default:
      return "/assignments";
  }
}

/** The list with the search that led here. */
export function useListPath(): string {
  const [search] = useSearch();
  return withQuery(
    "/audit",
    Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)])),
  );
}
