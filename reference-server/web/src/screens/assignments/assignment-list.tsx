import type { Assignment } from "@admin/assignments";
import { Button } from "@mantine/core";
import { useState } from "react";
import { screenPath, useSearch, withQuery } from "../../address/links";
import { type Text, useText } from "../../text/text";
import { useMay } from "../../api/session";
import { FilterChip, useFilters } from "../../parts/filters";
import { Scope } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ScopeFilter } from "../../parts/pickers";
import { timeColumn } from "../../parts/columns";
import { type Column, ResourceTable, type RowAction, type Selection } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { Assignee, assignee, toDetails } from "./assignee";
import { RemoveAssignments } from "./remove-assignments";

interface Removal {
  readonly selection: Selection<Assignment>;
  readonly done: () => void;
}

export default function AssignmentList() {
  const t = useText();
  const [, setSearch] = useSearch();
  const { filters, filtered } = useFilters("email", "group", "scope");
  const [removal, setRemoval] = useState<Removal>();
  const may = useMay();
  const mayRemove = may("POST /assignments/bulk");
  const create = (
    <MainAction route="POST /assignments/bulk" to={withQuery("/assignments/new", filters)}>
      {t("assignments.create")}
    </MainAction>
  );
  return (
    <Page title={t("assignments.title")} lead={t("assignments.lead")} actions={create}>
      <ResourceTable<Assignment>
        list="/assignments"
        filters={filters}
        filtered={filtered}
        search={t("assignments.search")}
        suggests={["email", "group", "scope"]}
        defaultSort="assignee"
        rowId={({ id }) => id}
        rowName={assignee}
        rowTo={toDetails}
        empty={{ title: t("assignments.empty.title"), text: t("assignments.empty.text"), action: create }}
        toolbar={
          <>
            <ScopeFilter
              label={t("assignments.filterScope")}
              value={filters.scope ?? null}
              onChange={(scope) => setSearch({ scope: scope ?? undefined })}
            />
            <FilterChip
              name="email"
              label={filters.email && t("assignments.onlyEmail", { email: filters.email })}
            />
            <FilterChip
              name="group"
              label={filters.group && t("assignments.onlyGroup", { group: filters.group })}
            />
          </>
        }
        {...(mayRemove && {
          bulkActions: (selection: Selection<Assignment>, clear: () => void) => (
            <Button variant="default" onClick={() => setRemoval({ selection, done: clear })}>
              {t("assignments.remove")}
            </Button>
          ),
        })}
        selectsAll
        rowActions={(assignment) => toActions(assignment, { may, onRemove: setRemoval, t })}
        columns={useColumns()}
      />
      {removal !== undefined && (
        <RemoveAssignments
          selection={removal.selection}
          onRemoved={removal.done}
          onClose={() => setRemoval(undefined)}
        />
      )}
    </Page>
  );
}

/** Who has which scope, since when and until when. */
function useColumns(): readonly Column<Assignment>[] {
  const t = useText();
  return [
    {
      id: "who",
      header: t("assignments.columns.who"),
      sort: "assignee",
      cell: (assignment) => <Assignee assignment={assignment} />,
    },
    {
      id: "scope",
      header: t("assignments.columns.scope"),
      sort: "scope",
      width: "var(--scope-column)",
      cell: ({ scope }) => <Scope>{scope}</Scope>,
    },
    timeColumn("since", t("assignments.columns.since"), "9rem", ({ createdAt }) => createdAt, "createdAt"),
    {
      id: "until",
      header: t("assignments.columns.until"),
      width: "9rem",
      secondary: true,
      cell: ({ expiresAt }) => (expiresAt === null ? t("assignments.forGood") : <Time at={expiresAt} />),
    },
  ];
}

/** The menu of one assignment. */
function toActions(
  assignment: Assignment,
  {
    may,
    onRemove,
    t,
  }: {
    readonly may: ReturnType<typeof useMay>;
    readonly onRemove: (removal: Removal) => void;
    readonly t: Text;
  },
): readonly RowAction[] {
  const { id, email, group, scope, person } = assignment;
  const who = group === null ? { email: email ?? undefined } : { group: `${group.provider}:${group.key}` };
  return [
    ...(email === null ? [] : [{ label: t("parts.explain"), to: withQuery("/explain", { email, scope }) }]),
    ...(person === null || !may("GET /users/{id}")
      ? []
      : [{ label: t("assignments.openPerson"), to: screenPath("users", person.id) }]),
    { label: t("assignments.others"), to: withQuery("/assignments", who) },
    { label: t("assignments.withScope", { scope }), to: withQuery("/assignments", { scope }) },
    ...(may("DELETE /assignments/{id}")
      ? [
          {
            label: t("assignments.removeOne"),
            destructive: true,
            refused: assignment.decidable ? undefined : t("assignments.notDecidable"),
            onSelect: () =>
              onRemove({ selection: { ids: [id], items: [assignment] }, done: () => undefined }),
          },
        ]
      : []),
  ];
}
