import type { ConnectorKeys } from "@admin/connector-keys";
import { Button } from "@mantine/core";
import { formatNumber, useMessages } from "../../messages/language";
import { useDescribeError } from "../../parts/describe-error";
import { Section } from "../../parts/page";
import { connectorKeyMessages } from "./messages";
import { type Rewrap, useRewrap } from "./use-rewrap";

/** After changing the key: how much is still under an older one, and the way to the active one. */
export function RewrapSection({ keys }: { readonly keys: ConnectorKeys }) {
  const { rewrap: t } = useMessages(connectorKeyMessages);
  const { rewrap, start, stop } = useRewrap();
  const waiting = keys.keys
    .filter(({ active, readable }) => !active && readable)
    .reduce((sum, { connectors, connections }) => sum + connectors + connections, 0);
  const missing = keys.keys.some(({ readable }) => !readable);
  const { state } = rewrap;
  const working = state === "working";
  const interrupted = state === "stopped" || state === "failed";
  return (
    <Section title={t.title} lead={t.lead}>
      <div className="stack">
        {waiting === 0 && state === "idle" && <p>{missing ? t.nothingReadable : t.nothing}</p>}
        {(working || waiting > 0) && (
          <div className="page-actions">
            {working ? (
              <Button variant="default" onClick={stop}>
                {t.stop}
              </Button>
            ) : (
              <Button onClick={() => void start()} disabled={keys.state !== "ready"}>
                {interrupted ? t.resume : t.run(formatNumber(waiting))}
              </Button>
            )}
          </div>
        )}
        {state !== "idle" && <Progress rewrap={rewrap} />}
      </div>
    </Section>
  );
}

function Progress({ rewrap }: { readonly rewrap: Rewrap }) {
  const { rewrap: t } = useMessages(connectorKeyMessages);
  const describe = useDescribeError();
  const { state, rewrapped, remaining, unreadable, error } = rewrap;
  const total = rewrapped + (remaining ?? 0);
  const done = formatNumber(rewrapped);
  return (
    <>
      {state !== "done" && remaining !== undefined && (
        <div className="rewrap-progress">
          <progress aria-label={t.progress} value={rewrapped} max={total} />
          <span>{t.of(done, formatNumber(total))}</span>
        </div>
      )}
      <div aria-live="polite" className="stack">
        {state === "working" && <p className="muted">{t.working}</p>}
        {state === "stopped" && <p>{t.stopped(formatNumber(remaining ?? 0))}</p>}
        {state === "failed" && <p className="problem">{describe(error)}</p>}
        {state === "done" && (
          <p>
            {t.done(rewrapped, done)} {remaining === 0 ? t.finished : t.stuck}
          </p>
        )}
        {unreadable > 0 && <p className="problem">{t.unreadable(unreadable, formatNumber(unreadable))}</p>}
      </div>
    </>
  );
}
