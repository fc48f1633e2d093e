import type { Grant, Revoked, Session } from "@admin/sessions";
import type { ReactNode } from "react";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { personName } from "../../parts/person";
import type { Selection } from "../../parts/resource-table";
import { useText } from "../../text/text";

/** Sign-ins listed by name; the rest is a number. */
const shown = 6;

export interface EndProps<Item> {
  readonly selection: Selection<Item>;
  readonly onEnded?: () => void;
  readonly onClose: () => void;
}

/** Signs browsers out. */
export function EndSessions(props: EndProps<Session>) {
  const t = useText();
  const { ids, items } = props.selection;
  return (
    <EndSignIns
      {...props}
      list="sessions"
      title={t("sessions.endBrowsersTitle", { count: ids.length })}
      several={t("sessions.signOutBrowsers")}
      done={(count) => t("sessions.browsersEnded", { count })}
      nameOf={({ user }) => personName(user)}
    >
      <p>{t("sessions.endBrowsersText")}</p>
      {items.some(({ current }) => current) ? (
        <p className="problem">{t("sessions.endOwnText")}</p>
      ) : (
        items.length < ids.length && <p>{t("sessions.endMaybeOwnText")}</p>
      )}
    </EndSignIns>
  );
}

/** Signs apps out. */
export function EndGrants(props: EndProps<Grant>) {
  const t = useText();
  return (
    <EndSignIns
      {...props}
      list="grants"
      title={t("sessions.endAppsTitle", { count: props.selection.ids.length })}
      several={t("sessions.signOutApps")}
      done={(count) => t("sessions.appsEnded", { count })}
      nameOf={({ user, client, deviceName, service }) => {
        const app = client.host === null ? client.name : `${client.name} (${client.host})`;
        const at = service?.name ?? t("sessions.ownApi");
        return [`${personName(user)}: ${app}`, deviceName, at].filter(Boolean).join(" · ");
      }}
    >
      <p>{t("sessions.endAppsText")}</p>
    </EndSignIns>
  );
}

function EndSignIns<Item>(
  props: EndProps<Item> & {
    readonly list: "sessions" | "grants";
    readonly title: string;
    /** The label of the button for more than one. */
    readonly several: string;
    readonly done: (count: number) => string;
    readonly nameOf: (item: Item) => string;
    readonly children: ReactNode;
  },
) {
  const { selection, onEnded, onClose, list, title, several, done, nameOf, children } = props;
  const t = useText();
  const { ids } = selection;
  return (
    <ConfirmChange<Revoked>
      title={title}
      confirmLabel={ids.length === 1 ? t("sessions.end") : several}
      path={`/${list}/revocations`}
      options={{ method: "POST", body: { ids } }}
      previews={false}
      affects={["/sessions", "/grants", "/users", "/clients"]}
      done={({ revoked }) => done(revoked)}
      onDone={onEnded}
      onClose={onClose}
    >
      <div className="stack">
        <Named selection={selection} nameOf={nameOf} />
        {children}
      </div>
    </ConfirmChange>
  );
}

/** The sign-ins that end, by name. */
function Named<Item>({
  selection: { ids, items },
  nameOf,
}: {
  readonly selection: Selection<Item>;
  readonly nameOf: (item: Item) => string;
}) {
  const t = useText();
  const names = [...new Set(items.map(nameOf))];
  // Rows selected by a search but not loaded have no names here.
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
