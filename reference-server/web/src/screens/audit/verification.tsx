import { Button } from "@mantine/core";
import { Link, screenPath } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Copyable } from "../../parts/copyable";
import { useDescribeError } from "../../parts/describe-error";
import { Icon } from "../../parts/icon";
import { Identifier } from "../../parts/identifier";
import { MainAction, Page, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import "./audit.css";
import { messages } from "./messages";
import { useVerification, type Verification as Result } from "./use-verification";

const shownFaults = 200;

/** The proof that no row was altered, with its progress and its result in words. */
export default function Verification() {
  const { title, verification: t } = useMessages(messages);
  const { verification, start, stop } = useVerification();
  const { state } = verification;
  return (
    <Page title={t.title} lead={t.lead} parent={{ to: "/audit", title }} narrow>
      <div className="stack">
        <div className="page-actions">
          <MainAction icon="check" loading={state === "working"} onClick={() => void start()}>
            {state === "idle" ? t.start : t.again}
          </MainAction>
          {state === "working" && (
            <Button variant="default" onClick={stop}>
              {t.stop}
            </Button>
          )}
        </div>
        <div aria-live="polite">
          <Progress result={verification} />
        </div>
      </div>
      {state === "done" && verification.head !== null && (
        <Section title={t.head} lead={t.headHelp}>
          <Copyable>{verification.head.digest}</Copyable>
          <p className="muted command">
            {t.command} <Identifier>authz-server audit verify</Identifier>
          </p>
        </Section>
      )}
    </Page>
  );
}

function Progress({ result }: { readonly result: Result }) {
  const { verification: t } = useMessages(messages);
  const describe = useDescribeError();
  const { state, faults } = result;
  const [events, seals] = [formatNumber(result.events), formatNumber(result.seals)];
  if (state === "idle") return undefined;
  if (state === "failed") return <p className="problem">{describe(result.error)}</p>;
  if (faults.length > 0) return <Broken result={result} />;
  if (state === "working") return <p className="muted">{t.working(events, seals)}</p>;
  if (state === "stopped") return <p>{t.stopped(events)}</p>;
  return (
    <div className="verdict" data-state="passed">
      <Icon name="check" size={22} />
      <div>
        <h2>{t.intact}</h2>
        <p>{result.seals === 0 ? t.nothing : t.intactText(events, seals)}</p>
        {result.unsealed > 0 && <p className="muted">{t.unsealed(formatNumber(result.unsealed))}</p>}
      </div>
    </div>
  );
}

function Broken({ result: { faults, state, events, seals } }: { readonly result: Result }) {
  const { verification: t } = useMessages(messages);
  return (
    <div className="stack">
      <div className="verdict" data-state="failed">
        <Icon name="failed" size={22} />
        <div>
          <h2>{t.broken(formatNumber(faults.length))}</h2>
          <p>{t.brokenText}</p>
          {state === "working" && (
            <p className="muted">{t.working(formatNumber(events), formatNumber(seals))}</p>
          )}
        </div>
      </div>
      <RecordRows
        rows={faults.slice(0, shownFaults).map(({ kind, sealId, firstEventId, lastEventId }) => ({
          id: `${kind} ${sealId} ${firstEventId}`,
          title: t.faults[kind],
          detail: `${t.seal(formatNumber(sealId))} · ${t.place(firstEventId, lastEventId)}`,
          action: <Link to={screenPath("audit", firstEventId)}>{t.openEvent}</Link>,
        }))}
      />
      {faults.length > shownFaults && <p className="muted">{t.more}</p>}
    </div>
  );
}
