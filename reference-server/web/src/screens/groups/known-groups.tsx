import type { Group, GroupProviderList } from "@admin/groups";
import { useItem } from "../../api/queries";
import { Link, screenPath, useSearch, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { ResourceTable } from "../../parts/resource-table";

/** Groups that a provider has named or that have something; a row leads to what the group has. */
export function KnownGroups() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const provider = search.get("provider") ?? undefined;
  const { data } = useItem<GroupProviderList>("/group-providers", { query: { limit: 200 } });
  return (
    <ResourceTable<Group>
      key="groups"
      list="/groups"
      filters={{ provider }}
      filtered={provider !== undefined}
      search={t("groups.search")}
      defaultSort="key"
      rowId={(group) => `${group.provider.key}:${group.key}`}
      rowName={({ key }) => key}
      rowTo={toAssignments}
      empty={{ title: t("groups.emptyKnown.title"), text: t("groups.emptyKnown.text") }}
      toolbar={
        <FilterSelect
          label={t("groups.anySource")}
          value={provider ?? null}
          options={(data?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))}
          onChange={(next) => setSearch({ provider: next })}
        />
      }
      columns={[
        {
          id: "group",
          header: t("groups.columns.group"),
          sort: "key",
          cell: (group) => <Link to={toAssignments(group)}>{group.key}</Link>,
        },
        {
          id: "source",
          header: t("groups.columns.source"),
          width: "26%",
          cell: ({ provider: { key, name, enabled } }) => (
            <>
              <Link to={screenPath("group-providers", key)}>{name}</Link>
              {!enabled && <div className="muted">{t("groups.disabled")}</div>}
            </>
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
        {
          id: "assignments",
          header: t("groups.columns.assignments"),
          align: "end",
          width: "8.5rem",
          secondary: true,
          cell: ({ assignments }) => formatNumber(assignments),
        },
        {
          id: "give",
          header: t("groups.give"),
          quiet: true,
          align: "end",
          width: "11rem",
          secondary: true,
          cell: (group) => (
            <Link to={withQuery("/assignments/new", { group: groupName(group) })}>{t("groups.give")}</Link>
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
