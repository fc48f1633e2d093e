import type { SkillUsage } from "@admin/usage";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Section } from "../../parts/page";
import { useText } from "../../text/text";
import { Chart, Numbers, SeriesTable, useStepLabel } from "./chart";
import { RangeChoice } from "./range-choice";
import type { Range } from "./usage-query";

/** How often agents have read one skill in a period. Readers are not counted. */
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

function Reads({ usage: { unit, reads: total, series } }: { readonly usage: SkillUsage }) {
  const t = useText();
  const labelOf = useStepLabel(unit);
  if (total === 0) return <p className="muted">{t("usage.neverRead")}</p>;
  const name = t("usage.numbers.reads");
  const steps = series.map(({ at, reads }) => ({
    at,
    bars: { used: reads },
    title: t("usage.readsStep", { label: labelOf(at), count: reads }),
  }));
  return (
    <Numbers
      numbers={[[undefined, name, total]]}
      chart={<Chart unit={unit} steps={steps} summary={t("usage.readsSummary", { count: total })} />}
      table={<SeriesTable unit={unit} steps={series} columns={[{ name, of: ({ reads }) => reads }]} />}
    />
  );
}
