import type { UsageDenial, UsageDenials } from "@admin/usage";
import { type ReactNode, useState } from "react";
import { useItem } from "../../api/queries";
import { Link, screenPath, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { Breakable, Scope } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import "./usage.css";
import { RangeChoice } from "./range-choice";
import type { Range, Subject } from "./usage-query";

/** The people who were denied one permission in a period. */
export default function DenialsSection({ scope }: { readonly scope: string }) {
  const [range, setRange] = useState<Range>("30d");
  return (
    <Denials
      range={range}
      subject={{}}
      scope={scope}
      actions={<RangeChoice range={range} onChange={setRange} />}
    />
  );
}

/** Denied requests by person, permission and service, each with a remedy. */
export function Denials(props: {
  readonly range: Range;
  readonly subject: Subject;
  /** Only those of one permission. */
  readonly scope?: string;
  readonly actions?: ReactNode;
}) {
  const { range, subject, scope, actions } = props;
  const t = useText();
  const answer = useItem<UsageDenials>("/usage/denials", { query: { range, ...subject, scope } });
  return (
    <Section title={t("usage.denials.title")} lead={t("usage.denials.lead")} actions={actions}>
      <Loaded answer={answer}>
        {({ items, total }) =>
          items.length === 0 ? (
            <p className="muted">{t("usage.denials.nothing")}</p>
          ) : (
            <>
              <DenialTable items={items} subject={subject} />
              {total > items.length && (
                <p className="muted usage-note">{t("usage.more", { count: total - items.length })}</p>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function DenialTable({
  items,
  subject,
}: {
  readonly items: readonly UsageDenial[];
  readonly subject: Subject;
}) {
  const t = useText();
  const ofPerson = subject.user !== undefined;
  return (
    <table className="table usage-table usage-denials">
      <thead>
        <tr>
          {!ofPerson && <th>{t("usage.denials.person")}</th>}
          <th>{t("usage.denials.scope")}</th>
          <th data-secondary>{t("usage.denials.target")}</th>
          <th data-align="end" data-secondary className="usage-narrow">
            {t("usage.denials.count")}
          </th>
          <th data-secondary>{t("usage.denials.last")}</th>
          <th>{t("usage.denials.fix")}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((denial) => {
          const { person, scope, target, count, lastAt } = denial;
          return (
            <tr key={JSON.stringify([person?.id, scope, target.type, target.key])}>
              {!ofPerson && (
                <td>
                  <Person person={person} />
                </td>
              )}
              <td>
                {scope === null ? (
                  <span className="muted">{t("usage.denials.noScope")}</span>
                ) : (
                  <Scope>{scope}</Scope>
                )}
                <div className="muted">
                  <Because denial={denial} />
                </div>
              </td>
              <td data-secondary>
                <Target target={target} />
              </td>
              <td data-align="end" data-secondary>
                {formatNumber(count)}
              </td>
              <td data-secondary>
                <Time at={lastAt} />
              </td>
              <td data-action>
                <Fix denial={denial} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The app of the last denial, and its reason. */
function Because({ denial: { client, reasonText } }: { readonly denial: UsageDenial }) {
  const t = useText();
  if (client === null) return reasonText;
  return t("usage.denials.by", { client: client.name ?? client.id, reason: reasonText });
}

function Person({ person }: { readonly person: UsageDenial["person"] }) {
  const t = useText();
  if (person === null) return <span className="muted">{t("usage.denials.machine")}</span>;
  const { id, name, email } = person;
  if (name === null && email === null) return <Breakable>{id}</Breakable>;
  return (
    <>
      <Link to={screenPath("users", id)}>{name ?? email}</Link>
      {name !== null && email !== null && (
        <div className="muted">
          <Breakable>{email}</Breakable>
        </div>
      )}
    </>
  );
}

function Target({ target: { type, key, name } }: { readonly target: UsageDenial["target"] }) {
  const t = useText();
  if (type === "none") return <span className="muted">{t("usage.noService")}</span>;
  if (name === null) return <Breakable>{key}</Breakable>;
  return <Link to={screenPath(type === "service" ? "resources" : "connectors", key)}>{name}</Link>;
}

/** A link to the explanation where a person lacks a permission, or else to the events. */
function Fix({ denial: { person, scope, target, client } }: { readonly denial: UsageDenial }) {
  const t = useText();
  const email = person?.email ?? undefined;
  if (email !== undefined && scope !== null) {
    const resource = target.type === "service" && target.name !== null ? target.key : undefined;
    return <Link to={withQuery("/explain", { email, resource, scope })}>{t("usage.denials.explain")}</Link>;
  }
  const events = { outcome: "denied", subject: person?.id, client: person === null ? client?.id : undefined };
  return <Link to={withQuery("/audit", events)}>{t("usage.denials.events")}</Link>;
}
