import type { Group, GroupProviderList as ProviderPage } from "@admin/groups";
import { useItem } from "../../api/queries";
import { Link, screenPath, useSearch, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { ListFilter, useFilters } from "../../parts/filters";
import { countColumn, NameCell } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";
import { Scopes } from "../../parts/identifier";
import { IfMay } from "../../parts/if-may";
import { MainAction, Page } from "../../parts/page";
import { Views } from "../../parts/views";
import { GroupProviderList } from "./group-provider-list";

/** Where groups come from, or which groups are known: `?view=groups`. */
export default function GroupScreens() {
  const t = useText();
  const [search] = useSearch();
  const known = search.get("view") === "groups";
  const create = (
    <MainAction route="POST /group-providers" to="/group-providers/new">
      {t("groups.create")}
    </MainAction>
  );
  return (
    <Page title={t("groups.title")} lead={t("groups.lead")} actions={create}>
      <Views
        label={t("groups.views")}
        views={[
          ["/group-providers", t("groups.sources")],
          ["/group-providers?view=groups", t("groups.known")],
        ]}
      />
      {known ? <KnownGroups /> : <GroupProviderList create={create} />}
    </Page>
  );
}

/** Groups that a provider has named or that have assignments; a row leads to the assignments. */
function KnownGroups() {
  const t = useText();
  const { filters, filtered } = useFilters("provider");
  const { data } = useItem<ProviderPage>("/group-providers", { query: { limit: 200 } });
  return (
    <ResourceTable<Group>
      key="groups"
      list="/groups"
      filters={filters}
      filtered={filtered}
      search={t("groups.search")}
      defaultSort="key"
      rowId={(group) => `${group.provider.key}:${group.key}`}
      rowName={({ key }) => key}
      rowTo={toAssignments}
      empty={{ title: t("groups.emptyKnown.title"), text: t("groups.emptyKnown.text") }}
      toolbar={
        <ListFilter
          name="provider"
          label={t("groups.anySource")}
          options={(data?.items ?? []).map(({ key, name }) => [key, name])}
        />
      }
      columns={[
        {
          id: "group",
          header: t("groups.columns.group"),
          sort: "key",
          cell: (group) => (
            <>
              <Link to={toAssignments(group)}>{group.key}</Link> <Scopes keys={group.roleScopes} />
            </>
          ),
        },
        {
          id: "source",
          header: t("groups.columns.source"),
          width: "26%",
          cell: ({ provider: { key, name, enabled } }) => (
            <NameCell to={screenPath("group-providers", key)} name={name}>
              {enabled ? undefined : t("groups.disabled")}
            </NameCell>
          ),
        },
        {
          id: "people",
          header: t("groups.columns.people"),
          align: "end",
          width: "12rem",
          secondary: true,
          cell: ({ people }) =>
            people === null ? (
              <span className="muted">{t("groups.directoryKnows")}</span>
            ) : (
              formatNumber(people)
            ),
        },
        countColumn(
          "assignments",
          t("groups.columns.assignments"),
          "8.5rem",
          ({ assignments }) => assignments,
        ),
        {
          id: "give",
          header: t("groups.give"),
          quiet: true,
          align: "end",
          width: "11rem",
          secondary: true,
          cell: (group) => (
            <IfMay route="POST /assignments/bulk">
              <Link to={withQuery("/assignments/new", { group: groupName(group) })}>{t("groups.give")}</Link>
            </IfMay>
          ),
        },
      ]}
    />
  );
}

function groupName({ key, provider }: Group): string {
  return `${provider.key}:${key}`;
}

function toAssignments(group: Group): string {
  return withQuery("/assignments", { group: groupName(group) });
}
