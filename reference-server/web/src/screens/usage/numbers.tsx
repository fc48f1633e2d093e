import type { Usage } from "@admin/usage";
import { useItem } from "../../api/queries";
import { Loaded } from "../../parts/loaded";
import { formatNumber, useText } from "../../text/text";
import { Chart, Numbers, SeriesTable, useStepLabel } from "./chart";
import { type Range, type Subject, usesOf } from "./usage-query";

const shown = ["issued", "called", "denied", "failed"] as const;

/** How often something was used, denied or failed in a period. */
export function UsageNumbers({ range, subject }: { readonly range: Range; readonly subject: Subject }) {
  const answer = useItem<Usage>("/usage", { query: { range, ...subject } });
  return <Loaded answer={answer}>{(usage) => <Shown usage={usage} />}</Loaded>;
}

function Shown({ usage: { unit, totals, series } }: { readonly usage: Usage }) {
  const t = useText();
  const labelOf = useStepLabel(unit);
  if (shown.every((name) => totals[name] === 0)) return <p className="muted">{t("usage.nothing")}</p>;
  const steps = series.map((one) => {
    const { at, denied, failed } = one;
    const bars = { used: usesOf(one), denied, failed };
    const title = t("usage.step", { label: labelOf(at), used: bars.used, denied, failed });
    return { at, bars, title };
  });
  return (
    <Numbers
      numbers={shown.map((name) => [name, t(`usage.numbers.${name}`), totals[name]])}
      chart={
        <Chart
          unit={unit}
          steps={steps}
          summary={t("usage.summary", { ...totals })}
          caption={(most) => <Legend most={most} />}
        />
      }
      table={
        <SeriesTable
          unit={unit}
          steps={series}
          columns={shown.map((name) => ({
            name: t(`usage.numbers.${name}`),
            of: (one: Usage["series"][number]) => one[name],
            secondary: name === "failed" || undefined,
          }))}
        />
      }
    />
  );
}

function Legend({ most }: { readonly most: number }) {
  const t = useText();
  return (
    <figcaption>
      {(["used", "denied", "failed"] as const).map((kind) => (
        <span key={kind} className="usage-key">
          <span className={kind} aria-hidden="true" />
          {t(`usage.numbers.${kind}`)}
        </span>
      ))}
      <span className="muted usage-most">{formatNumber(most)}</span>
    </figcaption>
  );
}
