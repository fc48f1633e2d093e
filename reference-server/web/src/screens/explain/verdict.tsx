import type { Explanation, GrantingRule, Remedy } from "@admin/explain";
import { type ReactElement, useState } from "react";
import { Link, screenPath, withQuery } from "../../address/links";
import { useSession } from "../../api/session";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { Icon } from "../../parts/icon";
import { Scope } from "../../parts/identifier";
import { LinkButton } from "../../parts/page";
import { VerdictBox } from "../../parts/verdict-box";
import { findGivable } from "./givable";
import { GiveScopes } from "./give-scopes";
import "./explain.css";

type Missing = Explanation["missing"][number];

/** Returns whether the person may give a scope, as far as is known here: those of this server are for administrators. */
function useMayGive(): (scope: string) => boolean {
  const { roles } = useSession();
  return (scope) => roles.includes("administrator") || !scope.startsWith("authz:");
}

/** Opens the dialog that gives scopes. */
type OnGive = (scopes: readonly string[]) => void;

/** The answer in one sentence, then each scope with the assignments that grant it, or remedies. */
export function Verdict({
  explanation,
  givesAll = true,
}: {
  readonly explanation: Explanation;
  /** Whether a button gives everything that is missing; not where the page has its own. */
  readonly givesAll?: boolean;
}) {
  const t = useText();
  const [giving, setGiving] = useState<readonly string[]>();
  const mayGive = useMayGive();
  const givable = findGivable(explanation).filter(mayGive);
  const { person, resource, allowed, granted, missing, login } = explanation;
  const name = person.name ?? person.email;
  const all = granted.length + missing.length;
  const partly = !allowed && granted.length > 0;
  const answer = allowed
    ? t("explain.allowed", { name })
    : partly
      ? t("explain.partly", { name, granted: granted.length, all })
      : t("explain.denied", { name });
  return (
    <div className="stack">
      <VerdictBox
        state={allowed ? "passed" : partly ? "warning" : "failed"}
        title={answer}
        action={
          givesAll &&
          givable.length > 0 && (
            <ActionButton
              route="POST /assignments/bulk"
              className="verdict-action"
              onClick={() => setGiving(givable)}
            >
              {t("explain.give.everything", { count: givable.length })}
            </ActionButton>
          )
        }
      >
        <p className="muted">
          {[
            resource === null ? t("explain.resourceAny") : t("explain.at", { resource: resource.name }),
            person.name !== null && person.email,
            person.id === null && t("explain.hasNot"),
            !person.enabled && t("explain.disabled"),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </VerdictBox>
      <ul className="checks">
        {missing.map((one) => (
          <MissingScope key={one.scope} missing={one} onGive={setGiving} />
        ))}
        {granted.map((one) => (
          <GrantedScope key={one.scope} granted={one} />
        ))}
        <li data-state={login.allowed ? "passed" : "failed"}>
          <Icon name={login.allowed ? "check" : "failed"} />
          <div>
            <p>{login.allowed ? t("explain.login.allowed") : t("explain.login.denied")}</p>
            {login.missing.map((one) => (
              <Remedies key={one.scope} missing={one} onGive={setGiving} />
            ))}
          </div>
        </li>
      </ul>
      <div>
        <LinkButton icon="history" to={withQuery("/audit", { q: person.email })}>
          {t("explain.history")}
        </LinkButton>
      </div>
      {giving !== undefined && (
        <GiveScopes email={person.email} scopes={giving} onClose={() => setGiving(undefined)} />
      )}
    </div>
  );
}

function GrantedScope({ granted: { scope, by } }: { readonly granted: Explanation["granted"][number] }) {
  const t = useText();
  return (
    <li data-state="passed">
      <Icon name="check" />
      <div>
        <p>
          <span className="visually-hidden">{t("explain.granted")}: </span>
          <Scope>{scope}</Scope>
        </p>
        {by.map((rule) => (
          <p key={rule.assignmentId} className="muted">
            <Rule rule={rule} scope={scope} />
          </p>
        ))}
      </div>
    </li>
  );
}

function MissingScope({ missing, onGive }: { readonly missing: Missing; readonly onGive: OnGive }) {
  const t = useText();
  return (
    <li data-state="failed">
      <Icon name="failed" />
      <div>
        <p>
          <span className="visually-hidden">{t("explain.missing")}: </span>
          <Scope>{missing.scope}</Scope>
        </p>
        <p>{t(`explain.reasons.${missing.reason}`)}</p>
        <Remedies missing={missing} onGive={onGive} />
      </div>
    </li>
  );
}

function Remedies({ missing, onGive }: { readonly missing: Missing; readonly onGive: OnGive }) {
  if (missing.remedies.length === 0) return undefined;
  return (
    <ul className="remedies">
      {missing.remedies.map((remedy) => (
        <li key={JSON.stringify(remedy)}>
          <RemedyAction remedy={remedy} onGive={onGive} />
        </li>
      ))}
    </ul>
  );
}

function RemedyAction({
  remedy,
  onGive,
}: {
  readonly remedy: Remedy;
  readonly onGive: OnGive;
}): ReactElement | undefined {
  const t = useText();
  const mayGive = useMayGive();
  switch (remedy.type) {
    case "assign":
      if (!mayGive(remedy.scope)) return undefined;
      return (
        <ActionButton
          route="POST /assignments/bulk"
          variant="default"
          size="compact-xs"
          onClick={() => onGive([remedy.scope])}
        >
          {t("explain.remedies.assign")}
        </ActionButton>
      );
    case "join_group":
      return (
        <span>
          {t("explain.remedies.join_group", {
            group: remedy.group.key,
            provider: remedy.group.provider.name,
          })}
        </span>
      );
    case "enable_person":
      return <Link to={screenPath("users", remedy.userId)}>{t("explain.remedies.enable_person")}</Link>;
    case "enable_resource":
      return (
        <Link to={screenPath("resources", remedy.resource)}>{t("explain.remedies.enable_resource")}</Link>
      );
    case "support_scope":
      return <Link to={screenPath("resources", remedy.resource)}>{t("explain.remedies.support_scope")}</Link>;
    case "repair_directory":
    default:
      return <Link to="/group-providers">{t("explain.remedies.repair_directory")}</Link>;
  }
}

function Rule({ rule, scope }: { readonly rule: GrantingRule; readonly scope: string }) {
  const t = useText();
  if (rule.type === "email") {
    return <Link to={withQuery("/assignments", { email: rule.email, scope })}>{t("explain.byEmail")}</Link>;
  }
  const { key, provider } = rule.group;
  return (
    <Link to={withQuery("/assignments", { group: `${provider.key}:${key}`, scope })}>
      {t("explain.byGroup", { group: key, provider: provider.name })}
    </Link>
  );
}
