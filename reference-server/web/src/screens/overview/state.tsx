import type { Overview, OverviewHint } from "@admin/overview";
import { Link } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Icon } from "../../parts/icon";
import { Time } from "../../parts/time";
import { messages } from "./messages";

/** What does not work, or soon will not; the other hints are steps that are left. */
const urgent: ReadonlySet<OverviewHint["id"]> = new Set([
  "add_provider",
  "rotate_signing_key",
  "restore_connector_key",
  "repair_connectors",
  "repair_catalogs",
]);

/** One sentence about everything, and how much of everything there is. */
export function State({ overview }: { readonly overview: Overview }) {
  const t = useMessages(messages);
  const { installation, hints, countedThrough } = overview;
  const problems = hints.filter(({ id }) => urgent.has(id)).length;
  const title =
    problems > 0
      ? t.attention(problems)
      : hints.length > 0
        ? t.steps(installation.name, hints.length)
        : t.good(installation.name);
  return (
    <>
      <div className="verdict" data-state={problems > 0 ? "warning" : "passed"}>
        <Icon name={problems > 0 ? "warning" : "check"} size={22} />
        <div>
          <h2>{title}</h2>
          <p className="muted">
            {countedThrough === null ? (
              t.notCounted
            ) : (
              <>
                {t.newest} <Time at={countedThrough} />.
              </>
            )}
          </p>
        </div>
      </div>
      <Amounts of={installation} />
    </>
  );
}

function Amounts({ of }: { readonly of: Overview["installation"] }) {
  const { facts } = useMessages(messages);
  const amounts = [
    [facts.people, of.people, "/users"],
    [facts.resources, of.resources, "/resources"],
    [facts.scopes, of.scopes, "/scopes"],
    [facts.assignments, of.assignments, "/assignments"],
    [facts.providers, of.identityProviders, "/identity-providers"],
    [facts.skills, of.ownSkills, "/skills"],
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
