import type { Overview, OverviewCount } from "@admin/overview";
import { Button, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { Link, useSearch, withQuery } from "../../address/links";
import { formatNumber, useLocale, useText } from "../../text/text";
import { LinkButton, Section } from "../../parts/page";
import { RequestChart } from "./request-chart";

/** Issued and denied requests by hour or by day, as a chart or as a table. */
export function Requests({ overview }: { readonly overview: Overview }) {
  const t = useText();
  const locale = useLocale();
  const [search, setSearch] = useSearch();
  const [asTable, setAsTable] = useState(false);
  const byDay = search.get("range") === "days";
  const counts = byDay ? overview.days : overview.hours;
  const issued = sum(counts.map((count) => count.issued));
  const denied = sum(counts.map((count) => count.denied));
  const nothing = issued + denied === 0;
  const labels = createLabels(byDay, locale);
  const rows = counts.map((count) => ({ ...count, label: labels.format(new Date(count.at)) }));
  return (
    <Section
      title={t("overview.requests")}
      lead={
        nothing
          ? byDay
            ? t("overview.nothingDays")
            : t("overview.nothingHours")
          : t("overview.summary", { issued, denied })
      }
      actions={
        <div className="page-actions">
          {denied > 0 && (
            <LinkButton to={withQuery("/audit", { outcome: "denied", from: counts[0]?.at })}>
              {t("overview.showDenied")}
            </LinkButton>
          )}
          <Button variant="default" onClick={() => setAsTable(!asTable)}>
            {asTable ? t("overview.asChart") : t("overview.asTable")}
          </Button>
          <SegmentedControl
            aria-label={t("overview.range")}
            value={byDay ? "days" : "hours"}
            onChange={(range) => setSearch({ range: range === "days" ? range : undefined })}
            data={[
              { value: "hours", label: t("overview.hours") },
              { value: "days", label: t("overview.days") },
            ]}
          />
        </div>
      }
    >
      {asTable ? (
        <CountTable counts={rows} byDay={byDay} />
      ) : (
        // Screen readers get the sum above, and the table on demand.
        <div className="chart" aria-hidden="true">
          <RequestChart counts={rows} ticks={ticksOf(rows, byDay)} />
        </div>
      )}
    </Section>
  );
}

function CountTable(props: {
  readonly counts: readonly (OverviewCount & { readonly label: string })[];
  readonly byDay: boolean;
}) {
  const { counts, byDay } = props;
  const t = useText();
  const stepMs = (byDay ? 24 : 1) * 3_600_000;
  const toEvents = (at: string) =>
    withQuery("/audit", {
      outcome: "denied",
      from: at,
      to: new Date(Date.parse(at) + stepMs).toISOString(),
    });
  const busy = counts.filter(({ issued, denied }) => issued + denied > 0);
  if (busy.length === 0) return undefined;
  return (
    <>
      <table className="table count-table">
        <thead>
          <tr>
            <th>{byDay ? t("overview.day") : t("overview.hour")}</th>
            <th data-align="end">{t("overview.issued")}</th>
            <th data-align="end">{t("overview.denied")}</th>
          </tr>
        </thead>
        <tbody>
          {busy.toReversed().map(({ at, label, issued, denied }) => (
            <tr key={at}>
              <td>
                <time dateTime={at}>{label}</time>
              </td>
              <td data-align="end">{formatNumber(issued)}</td>
              <td data-align="end">
                {denied === 0 ? formatNumber(denied) : <Link to={toEvents(at)}>{formatNumber(denied)}</Link>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted count-note">{t("overview.quietLeftOut")}</p>
    </>
  );
}

/** Days are UTC, as they are counted; hours are the person's own. */
function createLabels(byDay: boolean, locale: string): Intl.DateTimeFormat {
  const format: Intl.DateTimeFormatOptions = byDay
    ? { day: "numeric", month: "short", timeZone: "UTC" }
    : { timeStyle: "short" };
  return new Intl.DateTimeFormat(locale, format);
}

/** Labels of every third hour in the person's time zone, or of every Monday. */
function ticksOf<Count extends { readonly at: string }>(
  rows: readonly Count[],
  byDay: boolean,
): readonly Count[] {
  return rows.filter(({ at }) =>
    byDay ? new Date(at).getUTCDay() === 1 : new Date(at).getHours() % 3 === 0,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
