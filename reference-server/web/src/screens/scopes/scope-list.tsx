import type { Scope as ScopeItem } from "@admin/scopes";
import { Link, screenPath } from "../../app/links";
import { formatNumber, useText } from "../../text/text";
import { Scope } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";

export default function ScopeList() {
  const t = useText();
  const create = <MainAction to="/scopes/new">{t("scopes.create")}</MainAction>;
  return (
    <Page title={t("scopes.title")} lead={t("scopes.lead")} actions={create}>
      <ResourceTable<ScopeItem>
        list="/scopes"
        search={t("scopes.search")}
        defaultSort="key"
        rowId={({ key }) => key}
        rowName={({ key }) => key}
        rowTo={({ key }) => screenPath("scopes", key)}
        empty={{ title: t("scopes.empty.title"), text: t("scopes.empty.text"), action: create }}
        columns={[
          {
            id: "key",
            header: t("scopes.columns.key"),
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
            header: t("scopes.columns.description"),
            cell: ({ description, system }) => (
              <>
                {description}
                {system && <div className="muted">{t("scopes.system")}</div>}
              </>
            ),
          },
          {
            id: "resources",
            header: t("scopes.columns.resources"),
            align: "end",
            width: "7rem",
            secondary: true,
            cell: ({ resources }) => formatNumber(resources.length),
          },
          {
            id: "assignments",
            header: t("scopes.columns.assignments"),
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
