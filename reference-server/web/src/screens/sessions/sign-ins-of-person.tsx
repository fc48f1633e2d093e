import type { Grant, Session } from "@admin/sessions";
import { useState } from "react";
import { withQuery } from "../../address/links";
import { useList } from "../../api/queries";
import type { Route } from "../../api/session";
import { Scopes } from "../../parts/identifier";
import { personName } from "../../parts/person";
import { Time } from "../../parts/time";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { ShortList, shortListSize } from "../objects/short-list";
import { StopDialog } from "../stops/stop-dialogs";
import { AppName, ServiceName } from "./apps";
import { BrowserName } from "./browser-name";
import { EndGrants, EndSessions } from "./end-sign-ins";

/** Browsers and apps in which one person is signed in now. Both appear together, so that nothing below them moves. */
export function SignInsOfPerson({ user }: { readonly user: string }) {
  const sessions = useList<Session>("/sessions", { user, limit: shortListSize });
  const grants = useList<Grant>("/grants", { user, state: "live", limit: shortListSize });
  if (sessions.isPending || grants.isPending) return undefined;
  return (
    <>
      <Browsers user={user} answer={sessions} />
      <Apps user={user} answer={grants} />
    </>
  );
}

interface SignInsProps<T> {
  readonly user: string;
  readonly answer: ReturnType<typeof useList<T>>;
}

function Browsers({ user, answer }: SignInsProps<Session>) {
  const t = useText();
  const [ending, setEnding] = useState<Session>();
  return (
    <ShortList
      title={t("sessions.browsers")}
      answer={answer}
      none={t("sessions.noBrowsers")}
      all={{ to: withQuery("/sessions", { user }), label: t("sessions.showAll") }}
      toRow={(session) => ({
        id: session.id,
        title: <BrowserName session={session} />,
        detail: (
          <>
            <div>
              {t("sessions.sinceAt", {
                provider: session.provider.name,
                time: <Time at={session.signedInAt} />,
              })}
            </div>
            <div>{t("sessions.used", { time: <Time at={session.lastUsedAt} /> })}</div>
          </>
        ),
        action: (
          <EndButton route="POST /sessions/revocations" item={session} onClick={() => setEnding(session)} />
        ),
      })}
    >
      {ending !== undefined && (
        <EndSessions selection={{ ids: [ending.id], items: [ending] }} onClose={() => setEnding(undefined)} />
      )}
    </ShortList>
  );
}

function Apps({ user, answer }: SignInsProps<Grant>) {
  const t = useText();
  const [ending, setEnding] = useState<Grant>();
  const [stopping, setStopping] = useState<Grant>();
  return (
    <ShortList
      title={t("sessions.apps")}
      answer={answer}
      none={t("sessions.noApps")}
      all={{ to: withQuery("/sessions/devices", { user }), label: t("sessions.showAll") }}
      toRow={(grant) => ({
        id: grant.id,
        title: <AppName grant={grant} />,
        detail: (
          <>
            <div>
              <ServiceName service={grant.service} />
            </div>
            <div>
              {t("sessions.sinceAndUsed", {
                since: <Time at={grant.createdAt} />,
                used: <Time at={grant.lastUsedAt} />,
              })}
            </div>
            <Scopes keys={grant.scopes} most={4} />
          </>
        ),
        action: (
          <div className="page-actions">
            <ActionButton
              route="POST /stops"
              variant="default"
              size="compact-sm"
              onClick={() => setStopping(grant)}
            >
              {t("stops.stop")}
            </ActionButton>
            <EndButton route="POST /grants/revocations" item={grant} onClick={() => setEnding(grant)} />
          </div>
        ),
      })}
    >
      {ending !== undefined && (
        <EndGrants selection={{ ids: [ending.id], items: [ending] }} onClose={() => setEnding(undefined)} />
      )}
      {stopping !== undefined && (
        <StopDialog
          subject={{
            kind: "app",
            user: { id: user, name: personName(stopping.user) },
            client: stopping.client,
          }}
          onClose={() => setStopping(undefined)}
        />
      )}
    </ShortList>
  );
}

function EndButton(props: {
  readonly route: Route;
  readonly item: Pick<Session | Grant, "changeable">;
  readonly onClick: () => void;
}) {
  const { route, item, onClick } = props;
  const t = useText();
  const refused = item.changeable ? undefined : t("sessions.notChangeable");
  return (
    <ActionButton route={route} refused={refused} variant="default" size="compact-sm" onClick={onClick}>
      {t("sessions.end")}
    </ActionButton>
  );
}
