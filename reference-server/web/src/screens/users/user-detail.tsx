import type { UserDetail as User } from "@admin/people";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useParam } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton, IfMay } from "../../parts/if-may";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { ExplainLink, Facts, HistoryLink, Page } from "../../parts/page";
import { personName } from "../../parts/person";
import { ExactTime, Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";
import { ConnectionsOfPerson } from "../connectors/connections-of-person";
import { SignInsOfPerson } from "../sessions/sign-ins-of-person";
import { HistoryOf } from "../objects/object-sections";
import { StopButton, StopNotice } from "../stops/stop-of";
import { UsageOf } from "../usage/usage-of";
import { EndingsOfUser } from "./endings";
import { GroupsOfUser, Permissions } from "./permissions";
import { ChangeUser, SignOutUser } from "./user-actions";
import { UserState } from "./user-list";

/** One person: what they may do and why, and where they are signed in. */
export default function UserDetail() {
  const id = useParam("id");
  const answer = useItem<User>(apiPath("users", id));
  return <Loaded answer={answer}>{(user) => <Detail user={user} />}</Loaded>;
}

function Detail({ user }: { readonly user: User }) {
  const t = useText();
  const [asking, setAsking] = useState<"change" | "signOut">();
  const { id, email, enabled } = user;
  const name = personName(user);
  const subject = { kind: "user", user: { id, name } } as const;
  const close = () => setAsking(undefined);
  const refused = user.changeable ? undefined : t("users.notChangeable");
  return (
    <Page
      title={name}
      lead={user.name === null ? undefined : (email ?? t("users.noEmail"))}
      parent={{ to: "/users", title: t("users.title") }}
      actions={
        <>
          <HistoryLink subject={id} />
          {email !== null && <ExplainLink email={email} />}
          <StopButton subject={subject} label={t("stops.stopApps")} />
          <ActionButton
            route="POST /users/{id}/sign-outs"
            refused={refused}
            variant="default"
            onClick={() => setAsking("signOut")}
          >
            {t("users.signOut")}
          </ActionButton>
          <ActionButton
            route="PATCH /users/{id}"
            refused={refused}
            variant="default"
            onClick={() => setAsking("change")}
          >
            {enabled ? t("users.disable") : t("users.enable")}
          </ActionButton>
        </>
      }
    >
      {!enabled && (
        <VerdictBox state="failed" title={t("users.disabledBanner", { name })}>
          <div className="muted">{t("users.disabledBannerText")}</div>
        </VerdictBox>
      )}
      {enabled && user.presence !== null && user.presence.state !== "confirmed" && (
        <PresenceBanner presence={user.presence} name={name} />
      )}
      <StopNotice subject={subject} />
      <div className={enabled ? undefined : "section"}>
        <Facts
          items={[
            [t("users.facts.state"), <UserState key="state" enabled={enabled} />],
            [t("users.facts.lastSignIn"), <Time key="last" at={user.lastSignedInAt} />],
            ...(user.presence === null
              ? []
              : [
                  [
                    t("users.facts.confirmed"),
                    <Confirmed key="confirmed" presence={user.presence} />,
                  ] as const,
                ]),
            [t("users.facts.firstSignIn"), <ExactTime key="first" at={user.createdAt} />],
            [t("users.facts.accounts"), <Accounts key="accounts" user={user} />],
            [t("users.facts.id"), <Identifier key="id">{id}</Identifier>],
          ]}
        />
      </div>
      <Permissions user={user} />
      <GroupsOfUser user={user} />
      <SignInsOfPerson user={id} />
      <IfMay route="GET /connections">
        <ConnectionsOfPerson user={id} />
      </IfMay>
      <EndingsOfUser user={id} />
      <IfMay route="GET /usage">
        <UsageOf subject={{ user: id }} />
      </IfMay>
      <IfMay route="GET /audit-events">
        <HistoryOf query={{ subject: id }} />
      </IfMay>
      {asking === "change" && <ChangeUser user={user} onClose={close} />}
      {asking === "signOut" && <SignOutUser user={user} onClose={close} />}
    </Page>
  );
}

type Presence = NonNullable<User["presence"]>;

/** When the provider confirmed the person last, and when a sign-in is demanded. */
function Confirmed({ presence: { provider, confirmedAt, signInDueAt } }: { readonly presence: Presence }) {
  const t = useText();
  return (
    <>
      {t("users.presence.confirmed", { ago: <Time at={confirmedAt} />, provider: provider.name })}
      {signInDueAt !== null && (
        <>
          {" "}
          <span className="muted">{t("users.presence.signInDue", { time: <Time at={signInDueAt} /> })}</span>
        </>
      )}
    </>
  );
}

function PresenceBanner({
  presence: { state, provider, until },
  name,
}: {
  readonly presence: Presence;
  readonly name: string;
}) {
  const t = useText();
  if (state === "paused")
    return (
      <VerdictBox state="warning" title={t("users.presence.paused", { name })}>
        <div className="muted">{t("users.presence.pausedText")}</div>
      </VerdictBox>
    );
  return (
    <VerdictBox state="warning" title={t("users.presence.grace", { name, provider: provider.name })}>
      {until !== null && (
        <div className="muted">{t("users.presence.graceText", { time: <Time at={until} /> })}</div>
      )}
    </VerdictBox>
  );
}

function Accounts({ user }: { readonly user: User }) {
  const t = useText();
  if (user.identities.length === 0) return <span className="muted">{t("users.facts.noAccount")}</span>;
  return (
    <ul className="plain-list">
      {user.identities.map(({ provider, subject }) => (
        <li key={`${provider.key} ${subject}`}>
          {provider.name}
          {!provider.enabled && ` (${t("users.facts.providerOff")})`}{" "}
          <span className="muted">
            <Identifier>{subject}</Identifier>
          </span>
        </li>
      ))}
    </ul>
  );
}
