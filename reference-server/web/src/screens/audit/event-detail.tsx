import type { AdminAuditEvent, AuditLink } from "@admin/audit";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, useParam, withQuery } from "../../address/links";
import { type Text, useText } from "../../text/text";
import { CopyButton } from "../../parts/copyable";
import { Breakable, Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { type Fact, Facts, LinkButton, Page, Section } from "../../parts/page";
import { personName } from "../../parts/person";
import { RecordRows } from "../../parts/record-rows";
import { ExactTime } from "../../parts/time";
import "./audit.css";
import {
  clientName,
  explainPath,
  namedIn,
  objectPath,
  OutcomeStatus,
  useListPath,
  useTypeName,
} from "./event-views";

export default function EventDetail() {
  const answer = useItem<AdminAuditEvent>(apiPath("audit-events", useParam("id")));
  return <Loaded answer={answer}>{(event) => <Detail event={event} />}</Loaded>;
}

function Detail({ event }: { readonly event: AdminAuditEvent }) {
  const t = useText();
  const typeName = useTypeName();
  const explain = explainPath(event);
  return (
    <Page
      title={typeName(event.type)}
      lead={event.description}
      parent={{ to: useListPath(), title: t("audit.detail.parent") }}
      narrow
      actions={
        explain !== undefined && (
          <LinkButton icon="explain" to={explain}>
            {t("audit.detail.explain")}
          </LinkButton>
        )
      }
    >
      <Facts items={useFacts(event)} />
      {event.links.length > 0 && (
        <Section title={t("audit.detail.links")}>
          <RecordRows
            rows={event.links.map((link) => ({
              id: `${link.type} ${link.id}`,
              title: <ObjectLink link={link} />,
              detail: t(`audit.detail.linkTypes.${link.type}`),
              action: (
                <Link to={historyPath(link)}>
                  {t("audit.detail.its")}
                  <span className="visually-hidden">: {link.name ?? link.id}</span>
                </Link>
              ),
            }))}
          />
        </Section>
      )}
      <Around event={event} />
      <Section title={t("audit.detail.json")}>
        <JsonView value={event} />
      </Section>
    </Page>
  );
}

function useFacts(event: AdminAuditEvent): readonly Fact[] {
  const t = useText();
  const { actor, subject, client, requestId, data } = event;
  const codes = [data["error"], data["reason"]].filter((code) => typeof code === "string");
  return [
    [t("audit.detail.at"), <ExactTime key="at" at={event.at} />],
    [t("audit.detail.outcome"), <OutcomeStatus key="outcome" outcome={event.outcome} />],
    [t("audit.detail.actor"), nameActor(actor, t)],
    [
      t("audit.detail.subject"),
      subject === null ? (namedIn(data) ?? t("audit.detail.nobody")) : personName(subject),
    ],
    client !== null && [t("audit.detail.client"), clientName(client)],
    codes.length > 0 && [t("audit.detail.code"), <Identifier key="code">{codes.join(", ")}</Identifier>],
    requestId !== null && [t("audit.detail.request"), <Identifier key="request">{requestId}</Identifier>],
    [t("audit.detail.number"), <Identifier key="number">{event.id}</Identifier>],
  ];
}

function nameActor({ type, id, email, name }: AdminAuditEvent["actor"], t: Text): string {
  if (type === "operator") return t("audit.detail.operator");
  if (type === "system") return t("audit.detail.system");
  return name ?? email ?? id ?? t("audit.detail.nobody");
}

/** A link to an object, by its name where it has one. */
function ObjectLink({ link }: { readonly link: AuditLink }) {
  const t = useText();
  if (link.type === "settings") return <Link to={objectPath(link)}>{t("audit.detail.settingsName")}</Link>;
  return (
    <Link to={objectPath(link)}>
      {link.name ?? (
        <code className="identifier">
          <Breakable>{link.id}</Breakable>
        </code>
      )}
    </Link>
  );
}

function historyPath({ type, id }: AuditLink): string {
  if (type === "user") return withQuery("/audit", { subject: id });
  if (type === "client") return withQuery("/audit", { client: id });
  if (type === "settings") return withQuery("/audit", { type: "installation.changed" });
  return withQuery("/audit", { q: id });
}

/** Links to other events of the same request, person, actor and client. */
function Around({ event }: { readonly event: AdminAuditEvent }) {
  const t = useText();
  const { actor, subject, client, requestId } = event;
  const links = [
    requestId !== null && ([t("audit.detail.sameRequest"), { q: requestId }] as const),
    subject !== null && ([t("audit.detail.samePerson"), { subject: subject.id }] as const),
    actor.type === "user" &&
      actor.id !== null &&
      actor.id !== subject?.id &&
      ([t("audit.detail.sameActor"), { actor: actor.id }] as const),
    client !== null && ([t("audit.detail.sameClient"), { client: client.id }] as const),
  ].filter((link) => link !== false);
  if (links.length === 0) return undefined;
  return (
    <Section title={t("audit.detail.around")}>
      <ul className="plain-list">
        {links.map(([label, query]) => (
          <li key={label}>
            <Link to={withQuery("/audit", query)}>{label}</Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A value exactly as in the API's response, with a button that copies it. */
function JsonView({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="json">
      {/* Focusable, because it scrolls sideways. */}
      <pre tabIndex={0} translate="no">
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
