import type { Grant, Revoked, Session } from "@admin/sessions";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";
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

/** Signs browsers out. */
export function EndSessions({ items, onEnded, onClose }: EndProps<Session>) {
  const t = useText();
  const end = useRevocation("/sessions/revocations");
  return (
    <ConfirmDestructive
      title={t("sessions.endBrowsersTitle", { count: items.length })}
      confirmLabel={items.length === 1 ? t("sessions.end") : t("sessions.signOutBrowsers")}
      onConfirm={async () => {
        toast(t("sessions.browsersEnded", { count: await end(items) }));
        onEnded?.();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <People items={items} />
        <p>{t("sessions.endBrowsersText")}</p>
        {items.some(({ current }) => current) && <p className="problem">{t("sessions.endOwnText")}</p>}
      </div>
    </ConfirmDestructive>
  );
}

/** Signs apps out. */
export function EndGrants({ items, onEnded, onClose }: EndProps<Grant>) {
  const t = useText();
  const end = useRevocation("/grants/revocations");
  return (
    <ConfirmDestructive
      title={t("sessions.endAppsTitle", { count: items.length })}
      confirmLabel={items.length === 1 ? t("sessions.end") : t("sessions.signOutApps")}
      onConfirm={async () => {
        toast(t("sessions.appsEnded", { count: await end(items) }));
        onEnded?.();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <People items={items} />
        <p>{t("sessions.endAppsText")}</p>
      </div>
    </ConfirmDestructive>
  );
}

function People({ items }: { readonly items: readonly (Session | Grant)[] }) {
  const t = useText();
  const names = [...new Set(items.map(({ user }) => personName(user)))];
  return (
    <ul className="plain-list">
      {names.slice(0, shown).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {names.length > shown && (
        <li className="muted">{t("sessions.more", { count: names.length - shown })}</li>
      )}
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
    await forget("/sessions", "/grants", "/users", "/clients");
    return revoked;
  };
}
