import type { Connection } from "@admin/connections";
import { useMessages } from "../../messages/language";
import { Status } from "../../parts/identifier";
import { connectionMessages } from "./messages";

const tones = { connected: "good", reconnect_required: "warning", disconnecting: "neutral" } as const;

/** The state of a connection in a word, and why it is not a better one. */
export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const t = useMessages(connectionMessages);
  const { state, reason, keyReadable } = connection;
  const detail = keyReadable ? reason !== null && t.reasons[reason] : t.unreadableText;
  return (
    <>
      <Status tone={keyReadable ? tones[state] : "bad"}>
        <span className="wrapping">{keyReadable ? t.states[state] : t.unreadable}</span>
      </Status>
      {detail !== false && <div className="muted">{detail}</div>}
    </>
  );
}
