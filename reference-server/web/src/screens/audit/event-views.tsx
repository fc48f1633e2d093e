import type { AdminAuditEvent, AuditLink } from "@admin/audit";
import { useSearch, withQuery } from "../../address/links";
import { hasText, useText } from "../../text/text";
import { Status } from "../../parts/identifier";

const tones = { success: "good", denied: "bad", failed: "warning" } as const;

export function OutcomeStatus({ outcome }: { readonly outcome: AdminAuditEvent["outcome"] }) {
  const t = useText();
  return <Status tone={tones[outcome]}>{t(`audit.outcomes.${outcome}`)}</Status>;
}

/** Returns a function that names a type of event; an unknown type is shown as it is. */
export function useTypeName(): (type: string) => string {
  const t = useText();
  return (type) => {
    const key = `audit.types.${type}`;
    return hasText(key) ? t(key) : type;
  };
}

const scopePattern = /^[a-z0-9-]+:[a-z0-9-]+$/;

/**
 * The explanation of a denied request, filled in with the person, the service and the scopes. Most refusals of connections
 * have nothing to do with permissions, so they are explained only when scopes were missing.
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

/** The address or group that an event names, for people who have never signed in. */
export function namedIn({ email, group }: AdminAuditEvent["data"]): string | undefined {
  if (typeof email === "string") return email;
  const key = typeof group === "object" && group !== null && "key" in group ? group.key : undefined;
  return typeof key === "string" ? key : undefined;
}

/** An app's name, with its proven host. */
export function clientName({ id, name, host }: NonNullable<AdminAuditEvent["client"]>): string {
  if (name === null) return id;
  return host === null ? name : `${name} (${host})`;
}

/** The screen of each type of object; one with a slash at the end has the id in its path. */
const paths: Readonly<Record<AuditLink["type"], string>> = {
  user: "/users/",
  client: "/clients/",
  scope: "/scopes/",
  resource: "/resources/",
  "identity-provider": "/identity-providers/",
  "group-provider": "/group-providers/",
  skill: "/skills/",
  catalog: "/catalogs/",
  connector: "/connectors/",
  "signing-key": "/signing-keys",
  session: "/sessions",
  grant: "/sessions/devices",
  settings: "/settings",
  assignment: "/assignments",
  approval: "/approvals/",
};

/** The screen of an object. The object itself may have been removed. */
export function objectPath({ type, id }: AuditLink): string {
  const path = paths[type];
  return path.endsWith("/") ? path + encodeURIComponent(id) : path;
}

/** The list with the search of the current address. */
export function useListPath(): string {
  const [search] = useSearch();
  return withQuery(
    "/audit",
    Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)])),
  );
}
