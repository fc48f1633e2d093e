import type { SkillUsage } from "@admin/usage";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { formatNumber, useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Section } from "../../parts/page";
import { RangeChoice } from "./range-choice";
import { useStepLabel } from "./step-label";
import "./usage.css";
import type { Range } from "./usage-query";

/** How often agents have read one skill, in a period. Whose agents they were is not counted. */
export default function SkillSection({ skill }: { readonly skill: string }) {
  const t = useText();
  const [range, setRange] = useState<Range>("30d");
  const answer = useItem<SkillUsage>("/usage/skill", { query: { range, skill } });
  return (
    <Section
      title={t("usage.section.title")}
      actions={
        <div className="page-actions">
          <RangeChoice range={range} onChange={setRange} />
          <LinkButton to="/usage">{t("usage.section.all")}</LinkButton>
        </div>
      }
    >
      <Loaded answer={answer}>{(usage) => <Reads usage={usage} />}</Loaded>
    </Section>
  );
}

function Reads({ usage: { unit, reads, series } }: { readonly usage: SkillUsage }) {
  const t = useText();
  const [asTable, setAsTable] = useState(false);
  if (reads === 0) return <p className="muted">{t("usage.neverRead")}</p>;
  return (
    <div className="usage-numbers">
      <dl className="usage-totals">
        <div>
          <dt>{t("usage.numbers.reads")}</dt>
          <dd>{formatNumber(reads)}</dd>
        </div>
      </dl>
      {asTable ? <ReadsTable unit={unit} series={series} /> : <ReadsChart unit={unit} series={series} />}
      <Button variant="default" size="compact-sm" onClick={() => setAsTable(!asTable)}>
        {asTable ? t("usage.asChart") : t("usage.asTable")}
      </Button>
    </div>
  );
}

type Shown = Pick<SkillUsage, "unit" | "series">;

const height = 120;
const step = 10;
const bar = 8;

function ReadsChart({ unit, series }: Shown) {
  const t = useText();
  const labelOf = useStepLabel(unit);
  const most = Math.max(1, ...series.map(({ reads }) => reads));
  const total = series.reduce((sum, { reads }) => sum + reads, 0);
  const ends = [series[0], series[Math.floor(series.length / 2)], series.at(-1)];
  return (
    <figure className="usage-chart">
      <svg
        viewBox={`0 0 ${series.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("usage.readsSummary", { count: total })}
      >
        {series.map(({ at, reads }, index) => {
          const size = reads === 0 ? 0 : Math.max(1.5, (reads / most) * height);
          const x = index * step + (step - bar) / 2;
          return (
            <g key={at}>
              <title>{t("usage.readsStep", { label: labelOf(at), count: reads })}</title>
              {/* The whole column answers to the pointer. */}
              <rect className="usage-column" x={index * step} y={0} width={step} height={height} />
              <rect className="usage-bar used" x={x} y={height - size} width={bar} height={size} />
            </g>
          );
        })}
      </svg>
      <div className="usage-axis" aria-hidden="true">
        {ends.map((one) => one !== undefined && <span key={one.at}>{labelOf(one.at)}</span>)}
      </div>
    </figure>
  );
}

function ReadsTable({ unit, series }: Shown) {
  const t = useText();
  const labelOf = useStepLabel(unit);
  return (
    <>
      <table className="table usage-table">
        <thead>
          <tr>
            <th>{unit === "day" ? t("usage.day") : t("usage.hour")}</th>
            <th data-align="end">{t("usage.numbers.reads")}</th>
          </tr>
        </thead>
        <tbody>
          {series
            .filter(({ reads }) => reads > 0)
            .toReversed()
            .map(({ at, reads }) => (
              <tr key={at}>
                <td>
                  <time dateTime={at}>{labelOf(at)}</time>
                </td>
                <td data-align="end">{formatNumber(reads)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      <p className="muted usage-note">{t("usage.quietLeftOut")}</p>
    </>
  );
}
