import { useState } from "react";
import { LinkButton, Section } from "../../parts/page";
import { withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Denials } from "./denials";
import { UsageNumbers } from "./numbers";
import { RangeChoice } from "./range-choice";
import { Ranking } from "./ranking";
import "./usage.css";
import { type Range, rankingsOf, type Subject } from "./usage-query";

/** The usage of one app, person, service or connector, for its page. */
export default function UsageSection({ subject }: { readonly subject: Subject }) {
  const t = useText();
  const [range, setRange] = useState<Range>("30d");
  return (
    <>
      <Section
        title={t("usage.section.title")}
        actions={
          <div className="page-actions">
            <RangeChoice range={range} onChange={setRange} />
            <LinkButton to={withQuery("/usage", { range, ...subject })}>{t("usage.section.all")}</LinkButton>
          </div>
        }
      >
        <UsageNumbers range={range} subject={subject} />
      </Section>
      <div className="usage-lists">
        {rankingsOf(subject).map((by) => (
          <Ranking key={by} by={by} range={range} subject={subject} />
        ))}
      </div>
      <Denials range={range} subject={subject} />
    </>
  );
}
