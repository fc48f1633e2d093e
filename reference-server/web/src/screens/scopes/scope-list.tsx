import type { Scope as ScopeItem } from "@admin/scopes";
import { Link, screenPath } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Scope } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { messages } from "./messages";

export default function ScopeList() {
  const t = useMessages(messages);
  const create = <MainAction to="/scopes/new">{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <ResourceTable<ScopeItem>
        list="/scopes"
        searchLabel={t.plural}
        defaultSort="key"
        rowId={({ key }) => key}
        rowName={({ key }) => key}
        rowTo={({ key }) => screenPath("scopes", key)}
        empty={{ ...t.empty, action: create }}
        columns={[
          {
            id: "key",
            header: t.columns.key,
            sort: "key",
            width: "var(--scope-column)",
            cell: ({ key }) => (
              <Link to={screenPath("scopes", key)}>
                <Scope>{key}</Scope>
              </Link>
            ),
          },
          {
            id: "description",
            header: t.columns.description,
            cell: ({ description, system }) => (
              <>
                {description}
                {system && <div className="muted">{t.system}</div>}
              </>
            ),
          },
          {
            id: "resources",
            header: t.columns.resources,
            align: "end",
            width: "7rem",
            secondary: true,
            cell: ({ resources }) => formatNumber(resources.length),
          },
          {
            id: "assignments",
            header: t.columns.assignments,
            align: "end",
            width: "8rem",
            secondary: true,
            cell: ({ assignments }) => formatNumber(assignments),
          },
        ]}
      />
    </Page>
  );
}
