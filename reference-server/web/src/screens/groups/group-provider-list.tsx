import type { GroupProvider } from "@admin/groups";
import type { ReactNode } from "react";
import { screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Identifier, Scopes, Status } from "../../parts/identifier";
import { countColumn, NameCell } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";

export function GroupProviderList({ create }: { readonly create: ReactNode }) {
  const t = useText();
  return (
    <ResourceTable<GroupProvider>
      key="group-providers"
      list="/group-providers"
      search={t("groups.searchProviders")}
      defaultSort="name"
      rowId={({ key }) => key}
      rowName={({ name }) => name}
      rowTo={({ key }) => screenPath("group-providers", key)}
      empty={{ title: t("groups.empty.title"), text: t("groups.empty.text"), action: create }}
      columns={[
        {
          id: "name",
          header: t("groups.columns.name"),
          sort: "name",
          cell: ({ key, name }) => (
            <NameCell to={screenPath("group-providers", key)} name={name}>
              <Identifier>{key}</Identifier>
            </NameCell>
          ),
        },
        {
          id: "from",
          header: t("groups.columns.from"),
          width: "36%",
          secondary: true,
          cell: (groupProvider) => <Origin groupProvider={groupProvider} />,
        },
        {
          id: "roles",
          header: t("groups.rolesColumn"),
          width: "12rem",
          secondary: true,
          cell: ({ roleScopes }) => <Scopes keys={roleScopes} />,
        },
        countColumn(
          "assignments",
          t("groups.columns.assignments"),
          "8.5rem",
          ({ assignments }) => assignments,
        ),
        {
          id: "state",
          header: t("groups.columns.state"),
          width: "9rem",
          cell: ({ enabled }) => (
            <Status tone={enabled ? "good" : "neutral"}>
              {enabled ? t("groups.enabled") : t("groups.disabled")}
            </Status>
          ),
        },
      ]}
    />
  );
}

/** "the sign-in at acme", or the address of the directory. */
export function Origin({ groupProvider }: { readonly groupProvider: GroupProvider }) {
  const t = useText();
  const { type, provider, url } = groupProvider;
  if (type === "scim") return t("groups.fromScim", { provider: provider ?? "" });
  if (provider !== null) return t("groups.fromClaim", { provider });
  return (
    <>
      {t("groups.fromDirectory")}
      <div className="muted">
        <Identifier>{url}</Identifier>
      </div>
    </>
  );
}
