import type { Explanation, GrantingRule, Remedy } from "@admin/explain";
import type { ReactElement } from "react";
import { Link, screenPath, withQuery } from "../../app/links";
import { useMessages } from "../../messages/language";
import { Icon } from "../../parts/icon";
import { Scope } from "../../parts/identifier";
import { LinkButton } from "../../parts/page";
import { messages } from "./messages";

type Missing = Explanation["missing"][number];

/** The answer in one sentence, then each scope with what grants it or what would. */
export function Verdict({ explanation }: { readonly explanation: Explanation }) {
  const t = useMessages(messages);
  const { person, resource, allowed, granted, missing, logIn } = explanation;
  const name = person.name ?? person.email;
  const all = granted.length + missing.length;
  const partly = !allowed && granted.length > 0;
  const answer = allowed ? t.allowed(name) : partly ? t.partly(name, granted.length, all) : t.denied(name);
  return (
    <div className="stack">
      <div className="verdict" data-state={allowed ? "passed" : partly ? "warning" : "failed"}>
        <Icon name={allowed ? "check" : partly ? "warning" : "failed"} size={22} />
        <div>
          <h2>{answer}</h2>
          <p className="muted">
            {[
              resource === null ? t.resourceAny : t.at(resource.name),
              person.name !== null && person.email,
              person.id === null && t.hasNot,
              !person.enabled && t.disabled,
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </div>
      </div>
      <ul className="checks">
        {missing.map((one) => (
          <MissingScope key={one.scope} missing={one} email={person.email} />
        ))}
        {granted.map(({ scope, by }) => (
          <li key={scope} data-state="passed">
            <Icon name="check" />
            <div>
              <p>
                <span className="visually-hidden">{t.granted}: </span>
                <Scope>{scope}</Scope>
              </p>
              {by.map((rule) => (
                <p key={rule.assignmentId} className="muted">
                  <Rule rule={rule} scope={scope} />
                </p>
              ))}
            </div>
          </li>
        ))}
        <li data-state={logIn.allowed ? "passed" : "failed"}>
          <Icon name={logIn.allowed ? "check" : "failed"} />
          <div>
            <p>{logIn.allowed ? t.logIn.allowed : t.logIn.denied}</p>
            {logIn.missing.map((one) => (
              <Remedies key={one.scope} missing={one} email={person.email} />
            ))}
          </div>
        </li>
      </ul>
      <div>
        <LinkButton icon="history" to={withQuery("/audit", { q: person.email })}>
          {t.history}
        </LinkButton>
      </div>
    </div>
  );
}

function MissingScope({ missing, email }: { readonly missing: Missing; readonly email: string }) {
  const t = useMessages(messages);
  return (
    <li data-state="failed">
      <Icon name="failed" />
      <div>
        <p>
          <span className="visually-hidden">{t.missing}: </span>
          <Scope>{missing.scope}</Scope>
        </p>
        <p>{t.reasons[missing.reason]}</p>
        <Remedies missing={missing} email={email} />
      </div>
    </li>
  );
}

function Remedies({ missing, email }: { readonly missing: Missing; readonly email: string }) {
  if (missing.remedies.length === 0) return undefined;
  return (
    <ul className="remedies">
      {missing.remedies.map((remedy) => (
        <li key={JSON.stringify(remedy)}>
          <RemedyLink remedy={remedy} email={email} />
        </li>
      ))}
    </ul>
  );
}

function RemedyLink({ remedy, email }: { readonly remedy: Remedy; readonly email: string }): ReactElement {
  const { remedies: t } = useMessages(messages);
  switch (remedy.type) {
    case "assign":
      return <Link to={withQuery("/assignments/new", { email, scope: remedy.scope })}>{t.assign}</Link>;
    case "join_group":
      return <span>{t.join_group(remedy.group.key, remedy.group.provider.name)}</span>;
    case "enable_person":
      return <Link to={screenPath("users", remedy.userId)}>{t.enable_person}</Link>;
    case "enable_resource":
      return <Link to={screenPath("resources", remedy.resource)}>{t.enable_resource}</Link>;
    case "support_scope":
      return <Link to={screenPath("resources", remedy.resource)}>{t.support_scope}</Link>;
    case "repair_directory":
    default:
      return <Link to="/group-providers">{t.repair_directory}</Link>;
  }
}

function Rule({ rule, scope }: { readonly rule: GrantingRule; readonly scope: string }) {
  const t = useMessages(messages);
  if (rule.type === "email") {
    return <Link to={withQuery("/assignments", { email: rule.email, scope })}>{t.byEmail}</Link>;
  }
  const { key, provider } = rule.group;
  return (
    <Link to={withQuery("/assignments", { group: `${provider.key}:${key}`, scope })}>
      {t.byGroup(key, provider.name)}
    </Link>
  );
}
