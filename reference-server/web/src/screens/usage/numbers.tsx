import type { Usage } from "@admin/usage";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { formatNumber, useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";
import { Chart } from "./chart";
import { SeriesTable } from "./series-table";
import "./usage.css";
import type { Range, Subject } from "./usage-query";

const shown = ["issued", "called", "denied", "failed"] as const;

/** Four numbers, and how they came about: as a chart, or as the same numbers in a table. */
export function Numbers({ range, subject }: { readonly range: Range; readonly subject: Subject }) {
  const answer = useItem<Usage>("/usage", { query: { range, ...subject } });
  return <Loaded answer={answer}>{(usage) => <Shown usage={usage} />}</Loaded>;
}

function Shown({ usage }: { readonly usage: Usage }) {
  const t = useText();
  const [asTable, setAsTable] = useState(false);
  const { totals } = usage;
  if (shown.every((name) => totals[name] === 0)) return <p className="muted">{t("usage.nothing")}</p>;
  return (
    <div className="usage-numbers">
      <dl className="usage-totals">
        {shown.map((name) => (
          <div key={name} data-kind={name}>
            <dt>{t(`usage.numbers.${name}`)}</dt>
            <dd>{formatNumber(totals[name])}</dd>
          </div>
        ))}
      </dl>
      {asTable ? <SeriesTable usage={usage} /> : <Chart usage={usage} />}
      <Button variant="default" size="compact-sm" onClick={() => setAsTable(!asTable)}>
        {asTable ? t("usage.asChart") : t("usage.asTable")}
      </Button>
    </div>
  );
}
