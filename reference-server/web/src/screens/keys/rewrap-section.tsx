import type { ConnectorKeys } from "@admin/connector-keys";
import { Button } from "@mantine/core";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Section } from "../../parts/page";
import { type Rewrap, useRewrap } from "./use-rewrap";

/** After changing the key: how much is still under an older one, and the way to the active one. */
export function RewrapSection({ keys }: { readonly keys: ConnectorKeys }) {
  const t = useText();
  const { rewrap, start, stop } = useRewrap();
  const waiting = keys.keys
    .filter(({ active, readable }) => !active && readable)
    .reduce((sum, { connectors, connections }) => sum + connectors + connections, 0);
  const missing = keys.keys.some(({ readable }) => !readable);
  const { state } = rewrap;
  const working = state === "working";
  const interrupted = state === "stopped" || state === "failed";
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
              <Button onClick={() => void start()} disabled={keys.state !== "ready"}>
                {interrupted
                  ? t("connector-keys.rewrap.resume")
                  : t("connector-keys.rewrap.run", { count: waiting })}
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
  const t = useText();
  const describe = useDescribeError();
  const { state, rewrapped, remaining, unreadable, error } = rewrap;
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
