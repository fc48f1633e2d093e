import type { AuditVerification } from "@admin/audit";
import { Button } from "@mantine/core";
import { Link, screenPath } from "../../address/links";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { Copyable } from "../../parts/copyable";
import { useDescribeError } from "../../parts/describe-error";
import { Identifier } from "../../parts/identifier";
import { MainAction, Page, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { VerdictBox } from "../../parts/verdict-box";
import { type Batches, useBatches } from "../use-batches";
import "./audit.css";

interface Verified {
  readonly events: number;
  readonly seals: number;
  readonly unsealed: number;
  readonly faults: AuditVerification["faults"];
  readonly head: AuditVerification["head"];
  /** Where the next part starts. */
  readonly after?: number | undefined;
}

const nothing: Verified = { events: 0, seals: 0, unsealed: 0, faults: [], head: null };
const shownFaults = 200;

/** Compares the next part of the audit trail with its seals. */
async function verifyPart(sum: Verified, signal: AbortSignal) {
  const part = await request<AuditVerification>("/audit-events/verification", {
    query: { after: sum.after },
    signal,
  });
  const after = part.nextAfter ?? undefined;
  const next: Verified = {
    events: sum.events + part.checkedEvents,
    seals: sum.seals + part.checkedSeals,
    unsealed: part.unsealedEvents,
    faults: [...sum.faults, ...part.faults],
    head: part.head ?? sum.head,
    after,
  };
  return { sum: next, more: after !== undefined };
}

/** Checks that no row of the audit trail was altered, and shows the progress and the result. */
export default function Verification() {
  const t = useText();
  const { batches, start, stop } = useBatches(nothing, verifyPart);
  const { state, sum } = batches;
  return (
    <Page
      title={t("audit.verification.title")}
      lead={t("audit.verification.lead")}
      parent={{ to: "/audit", title: t("audit.title") }}
      narrow
    >
      <div className="stack">
        <div className="page-actions">
          <MainAction
            route="GET /audit-events/verification"
            icon="check"
            loading={state === "working"}
            onClick={() => void start()}
          >
            {state === "idle" ? t("audit.verification.start") : t("audit.verification.again")}
          </MainAction>
          {state === "working" && (
            <Button variant="default" onClick={stop}>
              {t("audit.verification.stop")}
            </Button>
          )}
        </div>
        <div aria-live="polite">
          <Progress batches={batches} />
        </div>
      </div>
      {state === "done" && sum.head !== null && (
        <Section title={t("audit.verification.head")} lead={t("audit.verification.headHelp")}>
          <Copyable>{sum.head.digest}</Copyable>
          <p className="muted command">
            {t("audit.verification.command", { command: <Identifier>authz-server audit verify</Identifier> })}
          </p>
        </Section>
      )}
    </Page>
  );
}

function Progress({ batches }: { readonly batches: Batches<Verified> }) {
  const t = useText();
  const describe = useDescribeError();
  const { state, error } = batches;
  const { faults, events, seals, unsealed } = batches.sum;
  if (state === "idle") return undefined;
  if (state === "failed") return <p className="problem">{describe(error)}</p>;
  if (faults.length > 0) return <Broken batches={batches} />;
  if (state === "working")
    return <p className="muted">{t("audit.verification.working", { events, seals })}</p>;
  if (state === "stopped") return <p>{t("audit.verification.stopped", { events })}</p>;
  return (
    <VerdictBox state="passed" title={t("audit.verification.intact")}>
      <p>
        {seals === 0
          ? t("audit.verification.nothing")
          : t("audit.verification.intactText", { events, seals })}
      </p>
      {unsealed > 0 && <p className="muted">{t("audit.verification.unsealed", { count: unsealed })}</p>}
    </VerdictBox>
  );
}

function Broken({ batches: { state, sum } }: { readonly batches: Batches<Verified> }) {
  const t = useText();
  const { faults, events, seals } = sum;
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
