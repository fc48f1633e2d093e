import type { Impact, ScopeImpact } from "../api/queries";
import { formatNumber, useMessages } from "../messages/language";
import { partsMessages } from "../messages/parts";
import { Icon } from "./icon";
import { Scope } from "./identifier";

/** Whether anybody notices the change. */
export function hasImpact({ gains, losses, notes }: Impact): boolean {
  return gains.length + losses.length + notes.length > 0;
}

/** What a change would do, in words: losses first. */
export function ImpactPreview({ impact }: { readonly impact: Impact }) {
  const { impact: t } = useMessages(partsMessages);
  if (!hasImpact(impact)) return <p className="muted">{t.nothing}</p>;
  return (
    <ul className="impact">
      {impact.losses.map((loss) => (
        <Line key={`-${loss.scope}`} change={loss} kind="lost" />
      ))}
      {impact.gains.map((gain) => (
        <Line key={`+${gain.scope}`} change={gain} kind="gained" />
      ))}
      {impact.notes.map((note) => (
        <li key={note} className="impact-note">
          <Icon name="warning" />
          <span>{note}</span>
        </li>
      ))}
    </ul>
  );
}

function Line({ change, kind }: { readonly change: ScopeImpact; readonly kind: "gained" | "lost" }) {
  const { impact: t } = useMessages(partsMessages);
  const { scope, people, sample, groups } = change;
  const count = formatNumber(people);
  const more = people - sample.length;
  const names = groups.map(({ name }) => name).join(", ");
  return (
    <li data-kind={kind}>
      <span className="impact-sign" aria-hidden="true">
        {kind === "lost" ? "−" : "+"}
      </span>
      <div>
        <p>
          <strong>{kind === "lost" ? t.losses(count, people) : t.gains(count, people)}</strong>{" "}
          <Scope state={kind}>{scope}</Scope>
        </p>
        {(sample.length > 0 || names !== "") && (
          <p className="muted">
            {sample.join(", ")}
            {more > 0 && sample.length > 0 && ` ${t.more(formatNumber(more))}`}
            {names !== "" && `${sample.length > 0 ? `, ${t.and} ` : ""}${t.groups} ${names}`}
          </p>
        )}
      </div>
    </li>
  );
}
