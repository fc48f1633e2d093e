import type { Grant, Revoked, Session } from "@admin/sessions";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";
import type { Selection } from "../../parts/resource-table";
import { personName } from "./person";

/** As many as one can take in at a glance. */
const shown = 6;
interface EndProps<Item> {
  readonly selection: Selection<Item>;
  readonly onEnded?: () => void;
  readonly onClose: () => void;
}

/** Signs browsers out. */
export function EndSessions({ selection, onEnded, onClose }: EndProps<Session>) {
  const t = useText();
  const end = useRevocation("/sessions/revocations");
  const { ids, items } = selection;
  return (
    <ConfirmDestructive
      title={t("sessions.endBrowsersTitle", { count: ids.length })}
      confirmLabel={ids.length === 1 ? t("sessions.end") : t("sessions.signOutBrowsers")}
      onConfirm={async () => {
        toast(t("sessions.browsersEnded", { count: await end(ids) }));
        onEnded?.();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <Named selection={selection} nameOf={({ user }) => personName(user)} />
        <p>{t("sessions.endBrowsersText")}</p>
        {items.some(({ current }) => current) ? (
          <p className="problem">{t("sessions.endOwnText")}</p>
        ) : (
          items.length < ids.length && <p>{t("sessions.endMaybeOwnText")}</p>
        )}
      </div>
    </ConfirmDestructive>
  );
}

/** Signs apps out. */
export function EndGrants({ selection, onEnded, onClose }: EndProps<Grant>) {
  const t = useText();
  const end = useRevocation("/grants/revocations");
  const { ids } = selection;
  return (
    <ConfirmDestructive
      title={t("sessions.endAppsTitle", { count: ids.length })}
      confirmLabel={ids.length === 1 ? t("sessions.end") : t("sessions.signOutApps")}
      onConfirm={async () => {
        toast(t("sessions.appsEnded", { count: await end(ids) }));
        onEnded?.();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <Named
          selection={selection}
          nameOf={({ user, client, deviceName, service }) => {
            const app = client.host === null ? client.name : `${client.name} (${client.host})`;
            const at = service?.name ?? t("sessions.ownApi");
            return [`${personName(user)}: ${app}`, deviceName, at].filter(Boolean).join(" · ");
          }}
        />
        <p>{t("sessions.endAppsText")}</p>
      </div>
    </ConfirmDestructive>
  );
}

/** What ends, by name. */
function Named<Item>({
  selection: { ids, items },
  nameOf,
}: {
  readonly selection: Selection<Item>;
  readonly nameOf: (item: Item) => string;
}) {
  const t = useText();
  const names = [...new Set(items.map(nameOf))];
  // Whose the others are is not known here, only how many there are.
  const others = ids.length - items.length;
  return (
    <ul className="plain-list">
      {names.slice(0, shown).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {names.length > shown && (
        <li className="muted">{t("sessions.more", { count: names.length - shown })}</li>
      )}
      {others > 0 && <li className="muted">{t("sessions.moreFound", { count: others })}</li>}
    </ul>
  );
}

function useRevocation(path: string) {
  const forget = useForget();
  return async (ids: readonly string[]) => {
    const { revoked } = await request<Revoked>(path, { method: "POST", body: { ids } });
    await forget("/sessions", "/grants", "/users", "/clients");
    return revoked;
  };
}
