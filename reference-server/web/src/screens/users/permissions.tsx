import type { ScopeOrigin, UserDetail } from "@admin/people";
import { Link, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Identifier, Scope, Status } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { ExactTime, Time } from "../../parts/time";

/** Each scope that the person has now, with the assignments that grant it. */
export function Permissions({ user }: { readonly user: UserDetail }) {
  const t = useText();
  const { email, scopes, undecided, enabled } = user;
  const rows = [
    ...scopes.map(({ scope, by }) => ({
      id: scope,
      title: <Scope>{scope}</Scope>,
      detail: (
        <ul className="plain-list">
          {by.map((origin) => (
            <li key={origin.assignmentId}>
              <Origin origin={origin} scope={scope} />
              {origin.until !== undefined && (
                <> · {t("users.permissions.until", { time: <ExactTime at={origin.until} /> })}</>
              )}
            </li>
          ))}
        </ul>
      ),
    })),
    ...undecided.map(({ scope, groups }) => ({
      id: `? ${scope}`,
      title: <Scope>{scope}</Scope>,
      detail: (
        <Status tone="warning" wraps>
          {t("users.permissions.undecided", {
            groups: groups.map(({ key, provider }) => `${key} (${provider.name})`).join(", "),
          })}
        </Status>
      ),
    })),
  ];
  return (
    <Section
      title={t("users.permissions.title")}
      lead={t("users.permissions.lead")}
      actions={
        email !== null && (
          <LinkButton route="POST /assignments/bulk" to={withQuery("/assignments/new", { email })}>
            {t("users.permissions.give")}
          </LinkButton>
        )
      }
    >
      {rows.length === 0 ? (
        <p className="muted">{enabled ? t("users.permissions.none") : t("users.permissions.noneDisabled")}</p>
      ) : (
        <RecordRows rows={rows} />
      )}
    </Section>
  );
}

function Origin({ origin, scope }: { readonly origin: ScopeOrigin; readonly scope: string }) {
  const t = useText();
  if (origin.type === "email") {
    return (
      <Link to={withQuery("/assignments", { email: origin.email, scope })}>
        {t("users.permissions.byEmail")}
      </Link>
    );
  }
  const { key, provider } = origin.group;
  return (
    <Link to={withQuery("/assignments", { group: `${provider.key}:${key}`, scope })}>
      {t("users.permissions.byGroup", { group: key, provider: provider.name })}
    </Link>
  );
}

/** The person's groups, as named by sign-in providers. */
export function GroupsOfUser({ user }: { readonly user: UserDetail }) {
  const t = useText();
  const named = user.groups.filter(({ keys }) => keys.length > 0);
  const rows = named.map(({ provider, keys, expiresAt }) => ({
    id: provider.key,
    title: (
      <>
        {provider.name}:{" "}
        {keys.map((key, index) => (
          <span key={key}>
            {index > 0 && ", "}
            <Identifier>{key}</Identifier>
          </span>
        ))}
      </>
    ),
    detail: !provider.enabled
      ? t("users.groups.providerOff")
      : expiresAt === null
        ? t("users.groups.provisioned")
        : Date.parse(expiresAt) < Date.now()
          ? t("users.groups.expired")
          : t("users.groups.until", { time: <Time at={expiresAt} /> }),
  }));
  return (
    <Section title={t("users.groups.title")} lead={t("users.groups.lead")}>
      {rows.length === 0 ? <p className="muted">{t("users.groups.none")}</p> : <RecordRows rows={rows} />}
    </Section>
  );
}
