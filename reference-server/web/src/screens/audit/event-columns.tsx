import type { AdminAuditEvent, AuditLink } from "@admin/audit";
import { Link } from "../../address/links";
import { type Text, useText } from "../../text/text";
import { Breakable, Scopes } from "../../parts/identifier";
import { clientName, namedIn, objectPath } from "./event-views";

/** Scopes of an event that fit into a row. */
const mostScopes = 3;

/** The actor of an event; if an app acted for a person, the person. */
export function Who({ event }: { readonly event: AdminAuditEvent }) {
  const t = useText();
  const { name, detail } = whoOf(event, t);
  return (
    <>
      <Breakable>{name}</Breakable>
      {detail !== undefined && (
        <div className="muted">
          <Breakable>{detail}</Breakable>
        </div>
      )}
    </>
  );
}

interface Named {
  readonly name: string;
  readonly detail?: string;
}

function whoOf({ actor, subject, client }: AdminAuditEvent, t: Text): Named {
  if (actor.type === "operator") return { name: t("audit.detail.operator") };
  if (actor.type === "system" && subject === null) return { name: t("audit.detail.system") };
  if (actor.type !== "user" && subject !== null) return personName(subject);
  if (actor.type === "client" && client !== null) return { name: clientName(client) };
  return actor.id === null ? { name: t("audit.detail.nobody") } : personName({ ...actor, id: actor.id });
}

function personName({ id, name, email }: NonNullable<AdminAuditEvent["subject"]>): Named {
  return { name: name ?? email ?? id, ...(name !== null && email !== null && { detail: email }) };
}

/** The object of an event, besides the service and the person in the first column. */
export function About({ event }: { readonly event: AdminAuditEvent }) {
  const t = useText();
  const { actor, subject, data, links } = event;
  const { scopes, scope } = data;
  const keys = (Array.isArray(scopes) ? scopes : [scope]).filter((key) => typeof key === "string");
  const other = subject !== null && actor.type === "user" && actor.id !== subject.id ? subject : undefined;
  const person = other === undefined ? namedIn(data) : (other.email ?? other.name ?? other.id);
  const object = links.find(({ type }) => objectTypes.has(type));
  return (
    <>
      {person !== undefined && (
        <div className="muted">
          <Breakable>{t("audit.about", { name: person })}</Breakable>
        </div>
      )}
      {keys.length > 0 ? (
        <div>
          <Scopes keys={keys} most={mostScopes} />
        </div>
      ) : (
        object !== undefined && (
          <div className="muted">
            <Breakable>{object.name ?? object.id}</Breakable>
          </div>
        )
      )}
    </>
  );
}

/** Types of objects without a column of their own. */
const objectTypes: ReadonlySet<AuditLink["type"]> = new Set([
  "scope",
  "skill",
  "identity-provider",
  "group-provider",
]);

/** The service or connector of an event, and the app. */
export function Where({ event }: { readonly event: AdminAuditEvent }) {
  const t = useText();
  const { links, client, actor, subject } = event;
  const place = links.find(({ type }) => type === "resource" || type === "connector" || type === "catalog");
  const isWho = actor.type === "client" && subject === null;
  return (
    <>
      {place === undefined ? (
        <span className="muted">{t("audit.thisServer")}</span>
      ) : (
        <Link to={objectPath(place)}>{place.name ?? place.id}</Link>
      )}
      {client !== null && !isWho && (
        <div className="muted">
          <Breakable>{t("audit.through", { name: clientName(client) })}</Breakable>
        </div>
      )}
    </>
  );
}
