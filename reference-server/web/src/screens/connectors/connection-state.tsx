import type { Connection } from "@admin/connections";
import { useText } from "../../text/text";
import { Status } from "../../parts/identifier";

const tones = { connected: "good", reconnect_required: "warning", disconnecting: "neutral" } as const;

/** The state of a connection, and the reason for a bad one. */
export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const t = useText();
  const { state, reason, keyReadable } = connection;
  const detail = keyReadable
    ? reason !== null && t(`connections.reasons.${reason}`)
    : t("connections.unreadableText");
  return (
    <>
      <Status tone={keyReadable ? tones[state] : "bad"} wraps>
        {keyReadable ? t(`connections.states.${state}`) : t("connections.unreadable")}
      </Status>
      {detail !== false && <div className="muted">{detail}</div>}
    </>
  );
}
