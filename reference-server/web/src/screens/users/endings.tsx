import type { Endings } from "@admin/people";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, withQuery } from "../../address/links";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { ExactTime, Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";
import { useText } from "../../text/text";
import { subjectOf, useSubjectName } from "../stops/stop-dialogs";

/** What of a person has ended, when and by what, and what may still be valid until when. */
export function EndingsOfUser({ user }: { readonly user: string }) {
  const t = useText();
  const answer = useItem<Endings>(apiPath("users", user, "endings"));
  return (
    <Section
      title={t("users.endings.title")}
      lead={t("users.endings.lead")}
      actions={
        <LinkButton icon="history" to={withQuery("/audit", { subject: user })}>
          {t("users.endings.all")}
        </LinkButton>
      }
    >
      <Loaded answer={answer}>{(endings) => <Shown endings={endings} />}</Loaded>
    </Section>
  );
}

function Shown({ endings }: { readonly endings: Endings }) {
  const t = useText();
  const nameOf = useSubjectName();
  const { events, blockedConnections, pausedAt } = endings;
  const stoppedApps = endings.stops.filter(({ kind }) => kind === "app");
  return (
    <div className="stack">
      <StillValid endings={endings} />
      {pausedAt !== null && <p>{t("users.endings.paused", { time: <ExactTime at={pausedAt} /> })}</p>}
      {blockedConnections > 0 && <p>{t("users.endings.blocked", { count: blockedConnections })}</p>}
      {stoppedApps.length > 0 && (
        <RecordRows
          rows={stoppedApps.map((stop) => ({
            id: stop.id,
            title: <Link to="/stops">{nameOf(subjectOf(stop))}</Link>,
            detail: t("users.endings.stopped", { time: <Time at={stop.setAt} /> }),
          }))}
        />
      )}
      {events.length === 0 ? (
        <p className="muted">{t("users.endings.none")}</p>
      ) : (
        <RecordRows
          rows={events.map(({ id, at, description }) => ({
            id,
            title: <Link to={screenPath("audit", id)}>{description}</Link>,
            detail: <ExactTime at={at} />,
          }))}
        />
      )}
    </div>
  );
}

function StillValid({ endings: { tokens, validUntil, events } }: { readonly endings: Endings }) {
  const t = useText();
  if (validUntil === null) {
    return events.length === 0 ? undefined : <p className="muted">{t("users.endings.nothingValid")}</p>;
  }
  return (
    <VerdictBox state="warning" title={t("users.endings.validUntil")}>
      <div className="muted">{t("users.endings.validText", { time: <ExactTime at={validUntil} /> })}</div>
      <ul className="plain-list">
        {tokens.map(({ grantId, client, service, endedAt, validUntil: until }) => (
          <li key={grantId}>
            {t("users.endings.token", {
              client: client.name,
              service: service?.name ?? t("users.endings.anyService"),
              ended: <Time at={endedAt} />,
              until: <ExactTime at={until} />,
            })}
          </li>
        ))}
      </ul>
    </VerdictBox>
  );
}
