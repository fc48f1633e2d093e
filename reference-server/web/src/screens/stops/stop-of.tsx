import type { Stop } from "@admin/stops";
import { useState } from "react";
import { useList } from "../../api/queries";
import { ActionButton, IfMay } from "../../parts/if-may";
import { Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";
import { useText } from "../../text/text";
import { StartDialog, StopDialog, type StopSubject } from "./stop-dialogs";

/** The stop of a subject, if it is set; `undefined` while it is not known. */
function useStopOf(subject: StopSubject): Stop | null | undefined {
  const query = {
    user: "user" in subject ? subject.user.id : undefined,
    client: "client" in subject ? subject.client.id : undefined,
    service: "service" in subject ? subject.service.id : undefined,
  };
  const { data } = useList<Stop>("/stops", { ...query, limit: 200 });
  if (data === undefined) return undefined;
  return data.pages[0]?.items.find(({ kind }) => kind === subject.kind) ?? null;
}

interface StopButtonProps {
  readonly subject: StopSubject;
  readonly label: string;
}

/** The button that stops a subject, while nothing has. */
export function StopButton(props: StopButtonProps) {
  return (
    <IfMay route="POST /stops">
      <AskStop {...props} />
    </IfMay>
  );
}

function AskStop({ subject, label }: StopButtonProps) {
  const stop = useStopOf(subject);
  const [asking, setAsking] = useState(false);
  return (
    <>
      {stop === null && (
        <ActionButton route="POST /stops" variant="default" onClick={() => setAsking(true)}>
          {label}
        </ActionButton>
      )}
      {asking && <StopDialog subject={subject} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Says that a subject is stopped, with the way to start it again. */
export function StopNotice(props: { readonly subject: StopSubject }) {
  return (
    <IfMay route="GET /stops">
      <ShownStop {...props} />
    </IfMay>
  );
}

function ShownStop({ subject }: { readonly subject: StopSubject }) {
  const t = useText();
  const stop = useStopOf(subject);
  const [starting, setStarting] = useState<Stop>();
  if (!stop && starting === undefined) return undefined;
  return (
    <>
      {stop && (
        <div className="section">
          <VerdictBox
            state="failed"
            title={t(stop.kind === "all" ? "stops.bannerAll" : "stops.banner", {
              name: authorOf(stop) ?? t("stops.operator"),
            })}
            action={
              <ActionButton route="DELETE /stops/{id}" variant="default" onClick={() => setStarting(stop)}>
                {t("stops.start")}
              </ActionButton>
            }
          >
            <div className="muted">{t("stops.bannerText", { time: <Time at={stop.setAt} /> })}</div>
          </VerdictBox>
        </div>
      )}
      {starting !== undefined && <StartDialog stop={starting} onClose={() => setStarting(undefined)} />}
    </>
  );
}

/** Who set a stop; `undefined`: an operator. */
export function authorOf({ setBy }: Stop): string | undefined {
  return setBy === null ? undefined : (setBy.name ?? setBy.id);
}
