import type { ClientUsage } from "@admin/clients";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, withQuery } from "../../app/links";
import { formatNumber, useText } from "../../text/text";
import { Section } from "../../parts/page";

/** What went through an app: for four periods, what was issued, what was denied, and to how many people. */
export function ClientUsageSection({ id, isMachine }: { readonly id: string; readonly isMachine: boolean }) {
  const t = useText();
  const { data } = useItem<ClientUsage>(apiPath("clients", id, "usage"));
  if (data === undefined) return undefined;
  const nothing = data.periods.every(({ issued, denied }) => issued + denied === 0);
  return (
    <Section
      title={t("clients.usage.title")}
      actions={<Link to={withQuery("/audit", { client: id })}>{t("clients.usage.events")}</Link>}
    >
      {nothing ? (
        <p className="muted">{t("clients.usage.nothing")}</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th>{t("clients.usage.period")}</th>
              <th data-align="end">{t("clients.usage.issued")}</th>
              <th data-align="end">{t("clients.usage.denied")}</th>
              {!isMachine && <th data-align="end">{t("clients.usage.people")}</th>}
            </tr>
          </thead>
          <tbody>
            {data.periods.map(({ period, issued, denied, people }) => (
              <tr key={period}>
                <td>{t(`clients.usage.periods.${period}`)}</td>
                <td data-align="end">{formatNumber(issued)}</td>
                <td data-align="end">{formatNumber(denied)}</td>
                {!isMachine && <td data-align="end">{formatNumber(people)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
