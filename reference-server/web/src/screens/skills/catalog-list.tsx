import type { CatalogSummary } from "@admin/catalogs";
import { screenPath, useSearch } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { FilterSelect } from "../../parts/filters";
import { LinkButton, Page } from "../../parts/page";
import { timeColumn, NameCell } from "../../parts/columns";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { CatalogState, useRefresh } from "./catalog-views";
import { SkillViews } from "./skill-views";
import "./skills.css";
import { ActionButton } from "../../parts/if-may";

const states = ["fresh", "stale", "failed", "pending"] as const;
/** Both states in which the catalog cannot be fetched now. */
const problems = "stale failed";

/** The copies of what services publish: how fresh they are, and why not. */
export default function CatalogList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const refreshing = useRefresh();
  const chosen = search.getAll("state");
  const both = `${t("skills.catalog.states.stale")}, ${t("skills.catalog.states.failed")}`;
  return (
    <Page title={t("skills.catalog.title")} lead={t("skills.catalog.lead")}>
      <SkillViews />
      <ResourceTable<CatalogSummary>
        list="/catalogs"
        filters={{ state: chosen }}
        filtered={chosen.length > 0}
        search={t("skills.catalog.search")}
        defaultSort="key"
        rowId={({ resourceKey }) => resourceKey}
        rowName={({ resourceName }) => resourceName}
        rowTo={({ resourceKey }) => screenPath("catalogs", resourceKey)}
        empty={{
          title: t("skills.catalog.empty.title"),
          text: t("skills.catalog.empty.text"),
          action: <LinkButton to="/resources">{t("skills.catalog.empty.action")}</LinkButton>,
        }}
        toolbar={
          <FilterSelect
            label={t("skills.catalog.anyState")}
            value={chosen.length === 0 ? null : chosen.join(" ")}
            options={[
              ...states.map((state) => [state, t(`skills.catalog.states.${state}`)] as const),
              [problems, both],
            ]}
            onChange={(next) => setSearch({ state: next?.split(" ") })}
          />
        }
        columns={useColumns(refreshing)}
      />
    </Page>
  );
}

/** Service, state and size of each catalog, with a button that fetches it again. */
function useColumns({
  workingOn,
  refresh,
}: ReturnType<typeof useRefresh>): readonly Column<CatalogSummary>[] {
  const t = useText();
  return [
    {
      id: "resource",
      header: t("skills.catalog.columns.resource"),
      sort: "key",
      cell: ({ resourceKey, resourceName, error }) => (
        <NameCell to={screenPath("catalogs", resourceKey)} name={resourceName}>
          {error ?? resourceKey}
        </NameCell>
      ),
    },
    {
      id: "state",
      header: t("skills.catalog.columns.state"),
      width: "8rem",
      cell: ({ state }) => <CatalogState state={state} />,
    },
    {
      id: "skills",
      header: t("skills.catalog.columns.skills"),
      align: "end",
      width: "5rem",
      secondary: true,
      cell: ({ skills }) => (skills === null ? "–" : formatNumber(skills)),
    },
    timeColumn("fetched", t("skills.catalog.columns.fetched"), "10rem", ({ fetchedAt }) => fetchedAt),
    {
      id: "refresh",
      header: t("skills.catalog.refresh"),
      quiet: true,
      align: "end",
      width: "10rem",
      secondary: true,
      cell: ({ resourceKey, resourceName }) => (
        <ActionButton
          route="POST /catalogs/{resourceKey}/refreshes"
          variant="default"
          size="compact-sm"
          aria-label={t("skills.catalog.refreshOf", { name: resourceName })}
          loading={workingOn === resourceKey}
          onClick={() => void refresh({ key: resourceKey, name: resourceName })}
        >
          {t("skills.catalog.refresh")}
        </ActionButton>
      ),
    },
  ];
}
