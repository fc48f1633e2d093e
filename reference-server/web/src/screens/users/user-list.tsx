import type { User } from "@admin/people";
import { screenPath, withQuery } from "../../address/links";
import { useMay } from "../../api/session";
import { useText } from "../../text/text";
import { FilterChip, ListFilter, useFilters } from "../../parts/filters";
import { Breakable, Status } from "../../parts/identifier";
import { LinkButton, Page } from "../../parts/page";
import { personName } from "../../parts/person";
import { countColumn, timeColumn, NameCell } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";

/** People who have signed in. */
export default function UserList() {
  const t = useText();
  const may = useMay();
  const { filters, filtered } = useFilters("enabled", "scope", "group");
  const { scope, group } = filters;
  return (
    <Page title={t("users.title")} lead={t("users.lead")}>
      <ResourceTable<User>
        list="/users"
        filters={filters}
        filtered={filtered}
        search={t("users.search")}
        suggests={["scope", "group"]}
        defaultSort="name"
        rowId={({ id }) => id}
        rowName={personName}
        rowTo={({ id }) => screenPath("users", id)}
        empty={{
          title: t("users.empty.title"),
          text: t("users.empty.text"),
          action: (
            <LinkButton route="POST /assignments/bulk" to="/assignments/new">
              {t("users.empty.action")}
            </LinkButton>
          ),
        }}
        toolbar={
          <>
            <ListFilter
              name="enabled"
              label={t("users.anyState")}
              options={[
                ["true", t("users.active")],
                ["false", t("users.disabled")],
              ]}
            />
            <FilterChip name="scope" label={scope && t("users.onlyScope", { scope })} />
            <FilterChip name="group" label={group && t("users.onlyGroup", { group })} />
          </>
        }
        rowActions={({ id, email }) => [
          { label: t("users.open"), to: screenPath("users", id) },
          ...(email === null
            ? []
            : [
                { label: t("parts.explain"), to: withQuery("/explain", { email }) },
                ...(may("POST /assignments/bulk")
                  ? [{ label: t("users.permissions.give"), to: withQuery("/assignments/new", { email }) }]
                  : []),
              ]),
          { label: t("users.signIns"), to: withQuery("/sessions/devices", { user: id }) },
          ...(may("GET /audit-events")
            ? [{ label: t("parts.history"), to: withQuery("/audit", { subject: id }) }]
            : []),
        ]}
        columns={[
          {
            id: "name",
            header: t("users.columns.name"),
            sort: "name",
            cell: (user) => (
              <NameCell to={screenPath("users", user.id)} name={<Breakable>{personName(user)}</Breakable>}>
                {user.name === null ? undefined : <Breakable>{user.email ?? t("users.noEmail")}</Breakable>}
              </NameCell>
            ),
          },
          {
            id: "state",
            header: t("users.columns.state"),
            width: "11rem",
            cell: ({ enabled }) => <UserState enabled={enabled} />,
          },
          countColumn("browsers", t("users.columns.browsers"), "6.5rem", ({ sessions }) => sessions),
          countColumn("devices", t("users.columns.apps"), "6rem", ({ grants }) => grants),
          timeColumn(
            "signedIn",
            t("users.columns.signedIn"),
            "11rem",
            ({ lastSignedInAt }) => lastSignedInAt,
            "lastSignedInAt",
          ),
        ]}
      />
    </Page>
  );
}

export function UserState({ enabled }: { readonly enabled: boolean }) {
  const t = useText();
  return <Status tone={enabled ? "good" : "bad"}>{enabled ? t("users.active") : t("users.disabled")}</Status>;
}
