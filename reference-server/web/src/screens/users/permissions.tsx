import type { ScopeOrigin, UserDetail } from "@admin/people";
import { Link, withQuery } from "../../app/links";
import { useMessages } from "../../messages/language";
import { Identifier, Scope, Status } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { messages } from "./messages";

/** Each scope that the person has now, and every assignment that says so. */
export function Permissions({ user }: { readonly user: UserDetail }) {
  const { permissions: t } = useMessages(messages);
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
            </li>
          ))}
        </ul>
      ),
    })),
    ...undecided.map(({ scope, groups }) => ({
      id: `? ${scope}`,
      title: <Scope>{scope}</Scope>,
      detail: (
        <Status tone="warning">
          <span className="wrapping">
            {t.undecided(groups.map(({ key, provider }) => `${key} (${provider.name})`).join(", "))}
          </span>
        </Status>
      ),
    })),
  ];
  return (
    <Section
      title={t.title}
      lead={t.lead}
      actions={
        email !== null && <LinkButton to={withQuery("/assignments/new", { email })}>{t.give}</LinkButton>
      }
    >
      {rows.length === 0 ? (
        <p className="muted">{enabled ? t.none : t.noneDisabled}</p>
      ) : (
        <RecordRows rows={rows} />
      )}
    </Section>
  );
}

function Origin({ origin, scope }: { readonly origin: ScopeOrigin; readonly scope: string }) {
  const { permissions: t } = useMessages(messages);
  if (origin.type === "email") {
    return <Link to={withQuery("/assignments", { email: origin.email, scope })}>{t.byEmail}</Link>;
  }
  const { key, provider } = origin.group;
  return (
    <Link to={withQuery("/assignments", { group: `${provider.key}:${key}`, scope })}>
      {t.byGroup(key, provider.name)}
    </Link>
  );
}

/** The groups that sign-in providers have named. */
export function GroupsOfUser({ user }: { readonly user: UserDetail }) {
  const { groups: t } = useMessages(messages);
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
    detail: !provider.enabled ? (
      t.providerOff
    ) : Date.parse(expiresAt) < Date.now() ? (
      t.expired
    ) : (
      <>
        {t.until} <Time at={expiresAt} />
      </>
    ),
  }));
  return (
    <Section title={t.title} lead={t.lead}>
      {rows.length === 0 ? <p className="muted">{t.none}</p> : <RecordRows rows={rows} />}
    </Section>
  );
}
