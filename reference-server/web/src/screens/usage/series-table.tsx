import type { Usage } from "@admin/usage";
import { formatNumber, useText } from "../../text/text";
import { useStepLabel } from "./step-label";
import { usesOf } from "./usage-query";

/** The numbers of the chart, the newest first. */
export function SeriesTable({ usage: { unit, series } }: { readonly usage: Usage }) {
  const t = useText();
  const labelOf = useStepLabel(unit);
  const busy = series.filter((one) => usesOf(one) + one.denied + one.failed > 0);
  return (
    <>
      <table className="table usage-table">
        <thead>
          <tr>
            <th>{unit === "day" ? t("usage.day") : t("usage.hour")}</th>
            <th data-align="end">{t("usage.numbers.issued")}</th>
            <th data-align="end">{t("usage.numbers.called")}</th>
            <th data-align="end">{t("usage.numbers.denied")}</th>
            <th data-align="end" data-secondary>
              {t("usage.numbers.failed")}
            </th>
          </tr>
        </thead>
        <tbody>
          {busy.toReversed().map(({ at, issued, called, denied, failed }) => (
            <tr key={at}>
              <td>
                <time dateTime={at}>{labelOf(at)}</time>
              </td>
              <td data-align="end">{formatNumber(issued)}</td>
              <td data-align="end">{formatNumber(called)}</td>
              <td data-align="end">{formatNumber(denied)}</td>
              <td data-align="end" data-secondary>
                {formatNumber(failed)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted usage-note">{t("usage.quietLeftOut")}</p>
    </>
  );
}
