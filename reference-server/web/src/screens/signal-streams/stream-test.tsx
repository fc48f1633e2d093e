import type { SignalStream, StreamTest } from "@admin/signal-streams";
import { useEffect, useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Identifier } from "../../parts/identifier";
import "../../parts/lists.css";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { Problem, useAction } from "../../parts/use-action";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { Health } from "./health";

const lookMilliseconds = 2_000;
/** Most transmitters send the event within seconds, and a poll follows within five. */
const waitMilliseconds = 60_000;

/** How the stream does, and a button that has the transmitter send a test event. */
export function StreamTestSection({ stream }: { readonly stream: SignalStream }) {
  const t = useText();
  const forget = useForget();
  const { run, problem, working } = useAction();
  const [requestedAt, setRequestedAt] = useState<string>();
  const { key, health, failure, failingSince, verifiedAt, hasToken } = stream;
  const arrived = requestedAt !== undefined && verifiedAt !== null && verifiedAt >= requestedAt;
  const isWaiting = useWaiting(arrived ? undefined : requestedAt, () => forget("/signal-streams"));
  const start = () =>
    run(async () => {
      const test = await request<StreamTest>(apiPath("signal-streams", key, "tests"), { method: "POST" });
      setRequestedAt(test.requestedAt);
    });
  return (
    <Section
      title={t("signal-streams.test.title")}
      lead={t("signal-streams.test.lead")}
      actions={
        hasToken && (
          <ActionButton
            route="POST /signal-streams/{key}/tests"
            variant="default"
            onClick={() => void start()}
            loading={working || isWaiting}
          >
            {t("signal-streams.test.run")}
          </ActionButton>
        )
      }
    >
      <div role="status" className="stack before-form">
        <p>
          <Health health={health} />
        </p>
        {failure !== null && (
          <p>
            {t(`signal-streams.failures.${failureText(failure)}`)} <Identifier>{failure}</Identifier>{" "}
            {failingSince !== null && <Time at={failingSince} />}
          </p>
        )}
        {isWaiting && <p className="muted">{t("signal-streams.test.waiting")}</p>}
        {arrived && <p>{t("signal-streams.test.arrived")}</p>}
        {requestedAt !== undefined && !arrived && !isWaiting && <p>{t("signal-streams.test.missing")}</p>}
        {!hasToken && <p className="muted">{t("signal-streams.test.noToken")}</p>}
        {requestedAt === undefined && verifiedAt !== null && (
          <p className="muted">{t("signal-streams.test.last", { ago: <Time at={verifiedAt} /> })}</p>
        )}
      </div>
      <Problem>{problem}</Problem>
    </Section>
  );
}

const failures = ["unreachable", "unauthorized", "keys", "token_unreadable", "verification_missing"] as const;

function failureText(failure: string): (typeof failures)[number] | "other" {
  return failures.find((known) => known === failure) ?? "other";
}

/** Looks again and again for an event that was asked for, for a minute. */
function useWaiting(requestedAt: string | undefined, look: () => Promise<void>): boolean {
  const [over, setOver] = useState<string>();
  useEffect(() => {
    if (requestedAt === undefined) return undefined;
    const looking = setInterval(() => void look(), lookMilliseconds);
    const end = setTimeout(() => {
      clearInterval(looking);
      setOver(requestedAt);
    }, waitMilliseconds);
    return () => {
      clearInterval(looking);
      clearTimeout(end);
    };
    // `look` is another function each time, and always does the same.
  }, [requestedAt]);
  return requestedAt !== undefined && over !== requestedAt;
}
