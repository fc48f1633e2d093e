import type { User } from "@admin/people";
import { Link, screenPath, useSearch } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { FilterSelect } from "../../parts/filter-select";
import { Breakable, Status } from "../../parts/identifier";
import { LinkButton, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { messages } from "./messages";

/** Everybody who has signed in. */
export default function UserList() {
  const t = useMessages(messages);
  const [search, setSearch] = useSearch();
  const enabled = search.get("enabled") ?? undefined;
  return (
    <Page title={t.title} lead={t.lead}>
      <ResourceTable<User>
        list="/users"
        filters={{ enabled }}
        filtered={enabled !== undefined}
        searchLabel={t.plural}
        defaultSort="name"
        rowId={({ id }) => id}
        rowName={userName}
        rowTo={({ id }) => screenPath("users", id)}
        empty={{ ...t.empty, action: <LinkButton to="/assignments/new">{t.empty.action}</LinkButton> }}
        toolbar={
          <FilterSelect
            label={t.anyState}
            value={enabled ?? null}
            options={[
              { value: "true", label: t.active },
              { value: "false", label: t.disabled },
            ]}
            onChange={(next) => setSearch({ enabled: next })}
          />
        }
        columns={[
          {
            id: "name",
            header: t.columns.name,
            sort: "name",
            cell: (user) => (
              <>
                <Link to={screenPath("users", user.id)}>
                  <Breakable>{userName(user)}</Breakable>
                </Link>
                {user.name !== null && (
                  <div className="muted">
                    <Breakable>{user.email ?? t.noEmail}</Breakable>
                  </div>
                )}
              </>
            ),
          },
          {
            id: "state",
            header: t.columns.state,
            width: "11rem",
            cell: ({ enabled: on }) => <UserState enabled={on} />,
          },
          {
            id: "browsers",
            header: t.columns.browsers,
            align: "end",
            width: "6.5rem",
            secondary: true,
            cell: ({ sessions }) => formatNumber(sessions),
          },
          {
            id: "devices",
            header: t.columns.devices,
            align: "end",
            width: "6rem",
            secondary: true,
            cell: ({ logIns }) => formatNumber(logIns),
          },
          {
            id: "signedIn",
            header: t.columns.signedIn,
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
  const t = useMessages(messages);
  return <Status tone={enabled ? "good" : "bad"}>{enabled ? t.active : t.disabled}</Status>;
}
