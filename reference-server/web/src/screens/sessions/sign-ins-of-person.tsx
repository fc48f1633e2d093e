import type { Grant, Session } from "@admin/sessions";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useList } from "../../api/queries";
import { withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Scopes } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { type RecordRow, RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { AppName, ServiceName } from "./apps";
import { BrowserName } from "./browser-name";
import { EndGrants, EndSessions } from "./end-sign-ins";

/** As many as fit a page that is about more. */
const most = 5;

/** Where one person is signed in now: browsers and apps, at once, so that nothing below them moves. */
export function SignInsOfPerson({ user }: { readonly user: string }) {
  const sessions = useList<Session>("/sessions", { user, limit: most });
  const grants = useList<Grant>("/grants", { user, state: "live", limit: most });
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
  const rows = answer.data?.pages[0]?.items.map((session) => ({
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
      <Button variant="default" size="compact-sm" onClick={() => setEnding(session)}>
        {t("sessions.end")}
      </Button>
    ),
  }));
  return (
    <Section
      title={t("sessions.browsers")}
      actions={<ShowAll to={withQuery("/sessions", { user })} rows={rows} />}
    >
      <Rows rows={rows} error={answer.error} none={t("sessions.noBrowsers")} />
      {ending !== undefined && (
        <EndSessions selection={{ ids: [ending.id], items: [ending] }} onClose={() => setEnding(undefined)} />
      )}
    </Section>
  );
}

function Apps({ user, answer }: SignInsProps<Grant>) {
  const t = useText();
  const [ending, setEnding] = useState<Grant>();
  const rows = answer.data?.pages[0]?.items.map((logIn) => ({
    id: logIn.id,
    title: <AppName grant={logIn} />,
    detail: (
      <>
        <div>
          <ServiceName service={logIn.service} />
        </div>
        <div>
          {t("sessions.sinceAndUsed", {
            since: <Time at={logIn.createdAt} />,
            used: <Time at={logIn.lastUsedAt} />,
          })}
        </div>
        <Scopes keys={logIn.scopes} most={4} />
      </>
    ),
    action: (
      <Button variant="default" size="compact-sm" onClick={() => setEnding(logIn)}>
        {t("sessions.end")}
      </Button>
    ),
  }));
  return (
    <Section
      title={t("sessions.apps")}
      actions={<ShowAll to={withQuery("/sessions/devices", { user })} rows={rows} />}
    >
      <Rows rows={rows} error={answer.error} none={t("sessions.noApps")} />
      {ending !== undefined && (
        <EndGrants selection={{ ids: [ending.id], items: [ending] }} onClose={() => setEnding(undefined)} />
      )}
    </Section>
  );
}

function ShowAll(props: { readonly to: string; readonly rows: readonly RecordRow[] | undefined }) {
  const t = useText();
  return props.rows?.length === most ? (
    <LinkButton to={props.to}>{t("sessions.showAll")}</LinkButton>
  ) : undefined;
}

function Rows(props: {
  readonly rows: readonly RecordRow[] | undefined;
  readonly error: Error | null;
  readonly none: string;
}) {
  const { rows, error, none } = props;
  const describe = useDescribeError();
  if (rows === undefined) return error !== null && <p className="problem">{describe(error)}</p>;
  return rows.length === 0 ? <p className="muted">{none}</p> : <RecordRows rows={rows} />;
}
