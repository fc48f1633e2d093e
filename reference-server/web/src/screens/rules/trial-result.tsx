import type { RuleTrial } from "@admin/rules";
import { Status } from "../../parts/identifier";
import "../../parts/lists.css";
import { Time } from "../../parts/time";
import { useText } from "../../text/text";

const tones = { allow: "good", ask: "warning", refuse: "bad", unclear: "neutral" } as const;

/** What rules would have said of the last calls, and what cannot be told. */
export function TrialResult({ trial }: { readonly trial: RuleTrial }) {
  const t = useText();
  const { calls, asked, refused, unclear, items } = trial;
  return (
    <div role="status" className="stack before-form">
      <p>{calls === 0 ? t("rules.trial.none") : t("rules.trial.result", { calls, asked, refused })}</p>
      {unclear > 0 && <p className="muted">{t("rules.trial.unclear", { unclear })}</p>}
      {items.length > 0 && (
        <table className="comparison">
          <thead>
            <tr>
              <th>{t("rules.trial.when")}</th>
              <th>{t("rules.trial.call")}</th>
              <th>{t("rules.trial.person")}</th>
              <th>{t("rules.trial.outcome")}</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ eventId, at, method, path, person, outcome, rule }) => (
              <tr key={eventId}>
                <td>
                  <Time at={at} />
                </td>
                <td className="mono">{`${method} ${path}`}</td>
                <td>{person}</td>
                <td>
                  <Status tone={tones[outcome]}>{t(`rules.trial.outcomes.${outcome}`, { rule })}</Status>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
