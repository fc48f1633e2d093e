import type { GroupProvider } from "@admin/groups";
import type { ReactNode } from "react";
import { Link, screenPath } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Identifier, Status } from "../../parts/identifier";
import { ResourceTable } from "../../parts/resource-table";
import { messages } from "./messages";

export function SourceList({ create }: { readonly create: ReactNode }) {
  const t = useMessages(messages);
  return (
    <ResourceTable<GroupProvider>
      key="sources"
      list="/group-providers"
      searchLabel={t.pluralSources}
      defaultSort="name"
      rowId={({ key }) => key}
      rowName={({ name }) => name}
      rowTo={({ key }) => screenPath("group-providers", key)}
      empty={{ ...t.empty, action: create }}
      columns={[
        {
          id: "name",
          header: t.columns.name,
          sort: "name",
          cell: ({ key, name }) => (
            <>
              <Link to={screenPath("group-providers", key)}>{name}</Link>
              <div className="muted">
                <Identifier>{key}</Identifier>
              </div>
            </>
          ),
        },
        {
          id: "from",
          header: t.columns.from,
          width: "36%",
          secondary: true,
          cell: (source) => <Origin source={source} />,
        },
        {
          id: "assignments",
          header: t.columns.assignments,
          align: "end",
          width: "8.5rem",
          secondary: true,
          cell: ({ assignments }) => formatNumber(assignments),
        },
        {
          id: "state",
          header: t.columns.state,
          width: "9rem",
          cell: ({ enabled }) => (
            <Status tone={enabled ? "good" : "neutral"}>{enabled ? t.enabled : t.disabled}</Status>
          ),
        },
      ]}
    />
  );
}

/** "the sign-in at acme", or the address of the directory. */
export function Origin({ source }: { readonly source: GroupProvider }) {
  const t = useMessages(messages);
  const { provider, url } = source;
  if (provider !== null) return t.fromClaim(provider);
  return (
    <>
      {t.fromDirectory}
      <div className="muted">
        <Identifier>{url}</Identifier>
      </div>
    </>
  );
}
