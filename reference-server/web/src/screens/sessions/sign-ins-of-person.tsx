import type { LogIn, Session } from "@admin/sessions";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useList } from "../../api/queries";
import { withQuery } from "../../app/links";
import { useMessages } from "../../messages/language";
import { useDescribeError } from "../../parts/describe-error";
import { Identifier, Scopes } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { type RecordRow, RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { BrowserName } from "./browser-name";
import { EndLogIns, EndSessions } from "./end-sign-ins";
import { messages } from "./messages";

/** As many as fit a page that is about more. */
const most = 5;

/** Where one person is signed in now: browsers and devices. */
export function SignInsOfPerson({ user }: { readonly user: string }) {
  return (
    <>
      <Browsers user={user} />
      <Devices user={user} />
    </>
  );
}

function Browsers({ user }: { readonly user: string }) {
  const t = useMessages(messages);
  const [ending, setEnding] = useState<Session>();
  const answer = useList<Session>("/sessions", { user, limit: most });
  const rows = answer.data?.pages[0]?.items.map((session) => ({
    id: session.id,
    title: <BrowserName session={session} />,
    detail: (
      <>
        {session.provider.name}, {t.since} <Time at={session.signedInAt} />
      </>
    ),
    action: (
      <Button variant="default" size="compact-sm" onClick={() => setEnding(session)}>
        {t.end}
      </Button>
    ),
  }));
  return (
    <Section title={t.browsers} actions={<ShowAll to={withQuery("/sessions", { user })} rows={rows} />}>
      <Rows rows={rows} error={answer.error} none={t.noBrowsers} />
      {ending !== undefined && <EndSessions items={[ending]} onClose={() => setEnding(undefined)} />}
    </Section>
  );
}

function Devices({ user }: { readonly user: string }) {
  const t = useMessages(messages);
  const [ending, setEnding] = useState<LogIn>();
  const answer = useList<LogIn>("/log-ins", { user, state: "live", limit: most });
  const rows = answer.data?.pages[0]?.items.map((logIn) => ({
    id: logIn.id,
    title: (
      <>
        {logIn.client.name} {logIn.shortCode !== null && <Identifier>{logIn.shortCode}</Identifier>}
      </>
    ),
    detail: (
      <>
        <div>
          {t.since} <Time at={logIn.createdAt} />
        </div>
        <Scopes keys={logIn.scopes} most={4} />
      </>
    ),
    action: (
      <Button variant="default" size="compact-sm" onClick={() => setEnding(logIn)}>
        {t.signOut}
      </Button>
    ),
  }));
  return (
    <Section
      title={t.devices}
      actions={<ShowAll to={withQuery("/sessions/devices", { user })} rows={rows} />}
    >
      <Rows rows={rows} error={answer.error} none={t.noDevices} />
      {ending !== undefined && <EndLogIns items={[ending]} onClose={() => setEnding(undefined)} />}
    </Section>
  );
}

function ShowAll(props: { readonly to: string; readonly rows: readonly RecordRow[] | undefined }) {
  const t = useMessages(messages);
  return props.rows?.length === most ? <LinkButton to={props.to}>{t.showAll}</LinkButton> : undefined;
}

function Rows(props: {
  readonly rows: readonly RecordRow[] | undefined;
  readonly error: Error | null;
  readonly none: string;
}) {
  const { rows, error, none } = props;
  const describe = useDescribeError();
  if (error !== null && rows === undefined) return <p className="problem">{describe(error)}</p>;
  if (rows === undefined) return <p className="muted">…</p>;
  return rows.length === 0 ? <p className="muted">{none}</p> : <RecordRows rows={rows} />;
}
