import type { Impact, ScopeImpact } from "../api/queries";
import { bold, useText } from "../text/text";
import { Icon } from "./icon";
import { Scope } from "./identifier";
import { ExactTime } from "./time";

/** The impact of a change in sentences, losses first. */
export function ImpactPreview({ impact }: { readonly impact: Impact }) {
  const t = useText();
  const { gains, losses, notes, resource } = impact;
  if (gains.length + losses.length + notes.length === 0) {
    const at = { place: resource === undefined ? "everywhere" : "one", resource: resource ?? "" };
    return <p className="muted">{t("parts.impact.nothing", at)}</p>;
  }
  const list = (
    <ul className="impact">
      {losses.map((loss) => (
        <Line key={`-${loss.scope}`} change={loss} kind="lost" />
      ))}
      {gains.map((gain) => (
        <Line key={`+${gain.scope}`} change={gain} kind="gained" />
      ))}
      {notes.map((note) => (
        <li key={note} className="impact-note">
          <Icon name="warning" />
          <span>{note}</span>
        </li>
      ))}
    </ul>
  );
  if (gains.length + losses.length === 0) {
    return (
      <>
        <p>{t("parts.impact.nobody")}</p>
        {list}
      </>
    );
  }
  if (resource === undefined) return list;
  return (
    <>
      <p>{t("parts.impact.at", { resource })}</p>
      {list}
    </>
  );
}

function Line({ change, kind }: { readonly change: ScopeImpact; readonly kind: "gained" | "lost" }) {
  const t = useText();
  const { scope, people, sample, groups, places = [], until } = change;
  const about = { count: people, scope: <Scope state={kind}>{scope}</Scope>, b: bold };
  return (
    <li data-kind={kind}>
      <span className="impact-sign" aria-hidden="true">
        {kind === "lost" ? "−" : "+"}
      </span>
      <div>
        <p>{kind === "lost" ? t("parts.impact.losses", about) : t("parts.impact.gains", about)}</p>
        {sample.length + groups.length > 0 && (
          <p className="muted">
            {t("parts.impact.who", {
              people: sample.length,
              names: sample.join(", "),
              more: people - sample.length,
              groupCount: groups.length,
              groups: groups.map(({ name }) => name).join(", "),
            })}
          </p>
        )}
        {places.length > 0 && <p>{t("parts.impact.places", { places: places.join(", "), b: bold })}</p>}
        {kind === "gained" && (
          <p>
            {until === undefined
              ? t("parts.impact.noEnd")
              : t("parts.impact.until", { time: <ExactTime at={until} /> })}
          </p>
        )}
      </div>
    </li>
  );
}
