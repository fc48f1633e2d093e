import type { ConnectorKeyRewrap, ConnectorKeys } from "@admin/connector-keys";
import { Button } from "@mantine/core";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Section } from "../../parts/page";
import { type Batches, useBatches } from "../use-batches";

interface Rewrapped {
  readonly rewrapped: number;
  /** Unknown before the first batch. */
  readonly remaining: number | undefined;
  readonly unreadable: number;
}

const nothing: Rewrapped = { rewrapped: 0, remaining: undefined, unreadable: 0 };

/** Re-encrypts one batch. Not aborted when the person stops, because the server finishes the batch anyway. */
async function rewrapBatch(sum: Rewrapped) {
  const batch = await request<ConnectorKeyRewrap>("/connector-keys/rewraps", { method: "POST" });
  const { rewrapped, remaining, unreadable } = batch;
  return {
    sum: { rewrapped: sum.rewrapped + rewrapped, remaining, unreadable },
    // A batch without progress: another session is working on the rest, or none of it can be read.
    more: remaining > 0 && rewrapped > 0,
  };
}

/** Re-encrypts what older keys still protect under the active one. */
export function RewrapSection({ keys }: { readonly keys: ConnectorKeys }) {
  const t = useText();
  const forget = useForget();
  const { batches, start, stop } = useBatches(nothing, rewrapBatch);
  const waiting = keys.keys
    .filter(({ active, readable }) => !active && readable)
    .reduce((sum, { connectors, connections }) => sum + connectors + connections, 0);
  const missing = keys.keys.some(({ readable }) => !readable);
  const { state, sum } = batches;
  const working = state === "working";
  const interrupted = state === "stopped" || state === "failed";
  const run = async () => {
    await start({ ...nothing, rewrapped: state === "done" ? 0 : sum.rewrapped });
    await forget("/connector-keys", "/connectors", "/connections", "/overview");
  };
  return (
    <Section title={t("connector-keys.rewrap.title")} lead={t("connector-keys.rewrap.lead")}>
      <div className="stack">
        {waiting === 0 && state === "idle" && (
          <p>{missing ? t("connector-keys.rewrap.nothingReadable") : t("connector-keys.rewrap.nothing")}</p>
        )}
        {(working || waiting > 0) && (
          <div className="page-actions">
            {working ? (
              <Button variant="default" onClick={stop}>
                {t("connector-keys.rewrap.stop")}
              </Button>
            ) : (
              <Button onClick={() => void run()} disabled={keys.state !== "ready"}>
                {interrupted
                  ? t("connector-keys.rewrap.resume")
                  : t("connector-keys.rewrap.run", { count: waiting })}
              </Button>
            )}
          </div>
        )}
        {state !== "idle" && <Progress batches={batches} />}
      </div>
    </Section>
  );
}

function Progress({ batches: { state, sum, error } }: { readonly batches: Batches<Rewrapped> }) {
  const t = useText();
  const describe = useDescribeError();
  const { rewrapped, remaining, unreadable } = sum;
  const total = rewrapped + (remaining ?? 0);
  return (
    <>
      {state !== "done" && remaining !== undefined && (
        <div className="rewrap-progress">
          <progress aria-label={t("connector-keys.rewrap.progress")} value={rewrapped} max={total} />
          <span>{t("connector-keys.rewrap.of", { done: rewrapped, total })}</span>
        </div>
      )}
      <div aria-live="polite" className="stack">
        {state === "working" && <p className="muted">{t("connector-keys.rewrap.working")}</p>}
        {state === "stopped" && <p>{t("connector-keys.rewrap.stopped", { left: remaining ?? 0 })}</p>}
        {state === "failed" && <p className="problem">{describe(error)}</p>}
        {state === "done" && (
          <p>
            {t("connector-keys.rewrap.done", { count: rewrapped })}{" "}
            {remaining === 0 ? t("connector-keys.rewrap.finished") : t("connector-keys.rewrap.stuck")}
          </p>
        )}
        {unreadable > 0 && (
          <p className="problem">{t("connector-keys.rewrap.unreadable", { count: unreadable })}</p>
        )}
      </div>
    </>
  );
}
