import type { AccessHolder, AccessList } from "@admin/access";
import { useState } from "react";
import { apiPath } from "../../api/request";
import { Link, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { FilterSelect } from "../../parts/filters";
import { Scope, Scopes } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { PeopleList, usePeople } from "./people-list";

/** An object with access rules. */
export interface AccessSubject {
  readonly list: "resources" | "connectors" | "scopes";
  readonly key: string;
}

/** Who has access now: how many people, by which permissions, and for each the assignments that grant it. */
export default function PeopleWithAccess({ subject }: { readonly subject: AccessSubject }) {
  const t = useText();
  const [scope, setScope] = useState<string>();
  const list = usePeople<AccessList>(apiPath(subject.list, subject.key, "people"), { scope });
  const { first } = list;
  const service = subject.list === "resources" ? subject.key : undefined;
  return (
    <Section
      title={t("access.title")}
      {...(first !== undefined && {
        lead:
          first.scopes.length === 0
            ? t("access.closed")
            : t("access.people", { count: first.people, scope: scope ?? "none" }),
      })}
      actions={
        first !== undefined &&
        first.scopes.length > 0 && (
          <LinkButton
            route="POST /assignments/bulk"
            to={withQuery("/assignments/new", { scope: scope ?? [...first.scopes] })}
          >
            {t("access.give")}
          </LinkButton>
        )
      }
    >
      {first !== undefined && first.scopes.length > 1 && (
        <p>
          {t("access.needs", {
            match: first.match,
            scopes: <Scopes key="scopes" keys={first.scopes} most={8} />,
          })}
        </p>
      )}
      {first !== undefined && first.groups.length > 0 && (
        <p>
          {t("access.groups", {
            groups: [...new Set(first.groups.map(({ key, name }) => `${key} (${name})`))].join(", "),
          })}
        </p>
      )}
      {first !== undefined && first.match === "any" && first.scopes.length > 1 && (
        <FilterSelect
          label={t("access.anyScope")}
          value={scope ?? null}
          options={first.scopes.map((value) => [value, value])}
          onChange={setScope}
        />
      )}
      {first?.scopes.length === 0 ? undefined : (
        <PeopleList
          list={list}
          loading={t("access.loading")}
          detailOf={(person) => <Reasons person={person} />}
          actionOf={({ email, scopes }) => (
            <Link
              to={withQuery("/explain", {
                email,
                resource: service,
                scope: subject.list === "resources" ? undefined : scopes.map((one) => one.scope),
              })}
            >
              {t("parts.explain")}
            </Link>
          )}
        />
      )}
    </Section>
  );
}

/** Scopes shown for each person. */
const mostScopes = 6;

function Reasons({ person: { email, scopes } }: { readonly person: AccessHolder }) {
  const t = useText();
  return (
    <ul className="plain-list">
      {scopes.slice(0, mostScopes).map(({ scope, by }) => (
        <li key={scope}>
          <Scope>{scope}</Scope>{" "}
          {by.map((reason, index) => (
            <span key={reason.assignmentId}>
              {index > 0 && ", "}
              <Link
                to={withQuery(
                  "/assignments",
                  reason.type === "email"
                    ? { email, scope }
                    : { group: `${reason.group.provider.key}:${reason.group.key}`, scope },
                )}
              >
                {reason.type === "email"
                  ? t("access.byEmail")
                  : t("access.byGroup", { group: reason.group.key, provider: reason.group.provider.name })}
              </Link>
              {reason.until !== undefined && (
                <> {t("access.until", { time: <Time key="until" at={reason.until} /> })}</>
              )}
            </span>
          ))}
        </li>
      ))}
      {scopes.length > mostScopes && <li>{t("access.moreScopes", { count: scopes.length - mostScopes })}</li>}
    </ul>
  );
}
