import type { LogIn, Revoked, Session } from "@admin/sessions";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useMessages } from "../../messages/language";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";
import { messages } from "./messages";
import { personName } from "./person";

/** As many as one can take in at a glance. */
const shown = 6;
/** As many as the API ends at once. */
const batch = 200;

interface EndProps<Item> {
  readonly items: readonly Item[];
  readonly onEnded?: () => void;
  readonly onClose: () => void;
}

/** Ends browser sessions. */
export function EndSessions({ items, onEnded, onClose }: EndProps<Session>) {
  const t = useMessages(messages);
  const end = useRevocation("/sessions/revocations");
  return (
    <ConfirmDestructive
      title={t.endSessionsTitle(items.length)}
      confirmLabel={items.length === 1 ? t.end : t.endSessions}
      onConfirm={async () => {
        toast(t.sessionsEnded(await end(items)));
        onEnded?.();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <People items={items} />
        <p>{t.endSessionsText}</p>
        {items.some(({ current }) => current) && <p className="problem">{t.endOwnText}</p>}
      </div>
    </ConfirmDestructive>
  );
}

/** Signs devices out. */
export function EndLogIns({ items, onEnded, onClose }: EndProps<LogIn>) {
  const t = useMessages(messages);
  const end = useRevocation("/log-ins/revocations");
  return (
    <ConfirmDestructive
      title={t.endDevicesTitle(items.length)}
      confirmLabel={t.signOut}
      onConfirm={async () => {
        toast(t.devicesEnded(await end(items)));
        onEnded?.();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <People items={items} />
        <p>{t.endDevicesText}</p>
      </div>
    </ConfirmDestructive>
  );
}

function People({ items }: { readonly items: readonly (Session | LogIn)[] }) {
  const t = useMessages(messages);
  const names = [...new Set(items.map(({ user }) => personName(user)))];
  return (
    <ul className="plain-list">
      {names.slice(0, shown).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {names.length > shown && <li className="muted">{t.more(names.length - shown)}</li>}
    </ul>
  );
}

function useRevocation(path: string) {
  const forget = useForget();
  return async (items: readonly { readonly id: string }[]) => {
    let revoked = 0;
    for (let start = 0; start < items.length; start += batch) {
      const ids = items.slice(start, start + batch).map(({ id }) => id);
      revoked += (await request<Revoked>(path, { method: "POST", body: { ids } })).revoked;
    }
    await forget("/sessions", "/log-ins", "/users", "/clients");
    return revoked;
  };
}
