import type { Overview, OverviewHint } from "@admin/overview";
import { Link } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";

/** Hints about something broken, or about to break; the others are next steps. */
const urgent: ReadonlySet<OverviewHint["id"]> = new Set([
  "add_provider",
  "rotate_signing_key",
  "restore_connector_key",
  "repair_connectors",
  "repair_signal_streams",
  "repair_catalogs",
]);

/** The state of the installation in one sentence, and the number of its objects. */
export function State({ overview }: { readonly overview: Overview }) {
  const t = useText();
  const { installation, hints, countedThrough } = overview;
  const problems = hints.filter(({ id }) => urgent.has(id)).length;
  const title =
    problems > 0
      ? t("overview.attention", { count: problems })
      : hints.length > 0
        ? t("overview.steps", { name: installation.name, count: hints.length })
        : t("overview.good", { name: installation.name });
  return (
    <>
      <VerdictBox state={problems > 0 ? "warning" : "passed"} title={title}>
        <p className="muted">
          {countedThrough === null
            ? t("overview.notCounted")
            : t("overview.newest", { time: <Time at={countedThrough} /> })}
        </p>
      </VerdictBox>
      <Amounts of={installation} />
    </>
  );
}

function Amounts({ of }: { readonly of: Overview["installation"] }) {
  const t = useText();
  const amounts = [
    [t("overview.facts.people"), of.people, "/users"],
    [t("overview.facts.resources"), of.resources, "/resources"],
    [t("overview.facts.scopes"), of.scopes, "/scopes"],
    [t("overview.facts.assignments"), of.assignments, "/assignments"],
    [t("overview.facts.providers"), of.identityProviders, "/identity-providers"],
    [t("overview.facts.skills"), of.ownSkills, "/skills"],
  ] as const;
  return (
    <ul className="amounts">
      {amounts.map(([name, amount, to]) => (
        <li key={to}>
          <Link to={to}>
            <strong>{formatNumber(amount)}</strong>
            <span>{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
