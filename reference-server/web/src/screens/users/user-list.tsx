import type { User } from "@admin/people";
import { Link, screenPath, useSearch, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { FilterChip } from "../../parts/filter-chip";
import { FilterSelect } from "../../parts/filter-select";
import { Breakable, Status } from "../../parts/identifier";
import { LinkButton, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";

/** Everybody who has signed in. */
export default function UserList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const enabled = search.get("enabled") ?? undefined;
  const scope = search.get("scope") ?? undefined;
  const group = search.get("group") ?? undefined;
  return (
    <Page title={t("users.title")} lead={t("users.lead")}>
      <ResourceTable<User>
        list="/users"
        filters={{ enabled, scope, group }}
        filtered={[enabled, scope, group].some((value) => value !== undefined)}
        search={t("users.search")}
        suggests={["scope", "group"]}
        defaultSort="name"
        rowId={({ id }) => id}
        rowName={userName}
        rowTo={({ id }) => screenPath("users", id)}
        empty={{
          title: t("users.empty.title"),
          text: t("users.empty.text"),
          action: <LinkButton to="/assignments/new">{t("users.empty.action")}</LinkButton>,
        }}
        toolbar={
          <>
            <FilterSelect
              label={t("users.anyState")}
              value={enabled ?? null}
              options={[
                { value: "true", label: t("users.active") },
                { value: "false", label: t("users.disabled") },
              ]}
              onChange={(next) => setSearch({ enabled: next })}
            />
            <FilterChip
              label={scope && t("users.onlyScope", { scope })}
              onRemove={() => setSearch({ scope: undefined })}
            />
            <FilterChip
              label={group && t("users.onlyGroup", { group })}
              onRemove={() => setSearch({ group: undefined })}
            />
          </>
        }
        rowActions={({ id, email }) => [
          { label: t("users.open"), to: screenPath("users", id) },
          ...(email === null
            ? []
            : [
                { label: t("parts.explain"), to: withQuery("/explain", { email }) },
                { label: t("users.permissions.give"), to: withQuery("/assignments/new", { email }) },
              ]),
          { label: t("users.signIns"), to: withQuery("/sessions/devices", { user: id }) },
          { label: t("parts.history"), to: withQuery("/audit", { subject: id }) },
        ]}
        columns={[
          {
            id: "name",
            header: t("users.columns.name"),
            sort: "name",
            cell: (user) => (
              <>
                <Link to={screenPath("users", user.id)}>
                  <Breakable>{userName(user)}</Breakable>
                </Link>
                {user.name !== null && (
                  <div className="muted">
                    <Breakable>{user.email ?? t("users.noEmail")}</Breakable>
                  </div>
                )}
              </>
            ),
          },
          {
            id: "state",
            header: t("users.columns.state"),
            width: "11rem",
            cell: ({ enabled: on }) => <UserState enabled={on} />,
          },
          {
            id: "browsers",
            header: t("users.columns.browsers"),
            align: "end",
            width: "6.5rem",
            secondary: true,
            cell: ({ sessions }) => formatNumber(sessions),
          },
          {
            id: "devices",
            header: t("users.columns.apps"),
            align: "end",
            width: "6rem",
            secondary: true,
            cell: ({ grants }) => formatNumber(grants),
          },
          {
            id: "signedIn",
            header: t("users.columns.signedIn"),
            sort: "lastSignedInAt",
            width: "11rem",
            secondary: true,
            cell: ({ lastSignedInAt }) => <Time at={lastSignedInAt} />,
          },
        ]}
      />
    </Page>
  );
}

/** What a person is called: the name, else the address, else the id. */
export function userName({ id, name, email }: Pick<User, "id" | "name" | "email">): string {
  return name ?? email ?? id;
}

export function UserState({ enabled }: { readonly enabled: boolean }) {
  const t = useText();
  return <Status tone={enabled ? "good" : "bad"}>{enabled ? t("users.active") : t("users.disabled")}</Status>;
}
