import { Button } from "@mantine/core";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Copyable } from "../../parts/copyable";
import { useDescribeError } from "../../parts/describe-error";
import { Identifier } from "../../parts/identifier";
import { MainAction, Page, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { VerdictBox } from "../../parts/verdict-box";
import "./audit.css";
import { useVerification, type Verification as Result } from "./use-verification";

const shownFaults = 200;

/** The proof that no row was altered, with its progress and its result in words. */
export default function Verification() {
  const t = useText();
  const { verification, start, stop } = useVerification();
  const { state } = verification;
  return (
    <Page
      title={t("audit.verification.title")}
      lead={t("audit.verification.lead")}
      parent={{ to: "/audit", title: t("audit.title") }}
      narrow
    >
      <div className="stack">
        <div className="page-actions">
          <MainAction icon="check" loading={state === "working"} onClick={() => void start()}>
            {state === "idle" ? t("audit.verification.start") : t("audit.verification.again")}
          </MainAction>
          {state === "working" && (
            <Button variant="default" onClick={stop}>
              {t("audit.verification.stop")}
            </Button>
          )}
        </div>
        <div aria-live="polite">
          <Progress result={verification} />
        </div>
      </div>
      {state === "done" && verification.head !== null && (
        <Section title={t("audit.verification.head")} lead={t("audit.verification.headHelp")}>
          <Copyable>{verification.head.digest}</Copyable>
          <p className="muted command">
            {t("audit.verification.command", { command: <Identifier>authz-server audit verify</Identifier> })}
          </p>
        </Section>
      )}
    </Page>
  );
}

function Progress({ result }: { readonly result: Result }) {
  const t = useText();
  const describe = useDescribeError();
  const { state, faults, events, seals } = result;
  if (state === "idle") return undefined;
  if (state === "failed") return <p className="problem">{describe(result.error)}</p>;
  if (faults.length > 0) return <Broken result={result} />;
  if (state === "working")
    return <p className="muted">{t("audit.verification.working", { events, seals })}</p>;
  if (state === "stopped") return <p>{t("audit.verification.stopped", { events })}</p>;
  return (
    <VerdictBox state="passed" title={t("audit.verification.intact")}>
      <p>
        {result.seals === 0
          ? t("audit.verification.nothing")
          : t("audit.verification.intactText", { events, seals })}
      </p>
      {result.unsealed > 0 && (
        <p className="muted">{t("audit.verification.unsealed", { count: result.unsealed })}</p>
      )}
    </VerdictBox>
  );
}

function Broken({ result: { faults, state, events, seals } }: { readonly result: Result }) {
  const t = useText();
  return (
    <div className="stack">
      <VerdictBox state="failed" title={t("audit.verification.broken", { count: faults.length })}>
        <p>{t("audit.verification.brokenText")}</p>
        {state === "working" && <p className="muted">{t("audit.verification.working", { events, seals })}</p>}
      </VerdictBox>
      <RecordRows
        rows={faults.slice(0, shownFaults).map(({ kind, sealId, firstEventId, lastEventId }) => ({
          id: `${kind} ${sealId} ${firstEventId}`,
          title: t(`audit.verification.faults.${kind}`),
          detail: `${t("audit.verification.seal", { id: sealId })} · ${t("audit.verification.place", { events: firstEventId === lastEventId ? 1 : 2, first: firstEventId, last: lastEventId })}`,
          action: <Link to={screenPath("audit", firstEventId)}>{t("audit.verification.openEvent")}</Link>,
        }))}
      />
      {faults.length > shownFaults && <p className="muted">{t("audit.verification.more")}</p>}
    </div>
  );
}
