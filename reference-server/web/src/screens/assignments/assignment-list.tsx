import type { Assignment } from "@admin/assignments";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useSearch, withQuery } from "../../app/links";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import { Breakable, Scope } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ScopeFilter } from "../../parts/pickers";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { RemoveAssignments } from "./remove-assignments";

interface Removal {
  readonly assignments: readonly Assignment[];
  readonly done: () => void;
}

export default function AssignmentList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [removal, setRemoval] = useState<Removal>();
  const filters = {
    email: search.get("email") ?? undefined,
    group: search.get("group") ?? undefined,
    scope: search.get("scope") ?? undefined,
  };
  const create = (
    <MainAction to={withQuery("/assignments/new", filters)}>{t("assignments.create")}</MainAction>
  );
  return (
    <Page title={t("assignments.title")} lead={t("assignments.lead")} actions={create}>
      <ResourceTable<Assignment>
        list="/assignments"
        filters={filters}
        filtered={Object.values(filters).some((value) => value !== undefined)}
        search={t("assignments.search")}
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
              label={filters.email && t("assignments.onlyEmail", { email: filters.email })}
              onRemove={() => setSearch({ email: undefined })}
            />
            <FilterChip
              label={filters.group && t("assignments.onlyGroup", { group: filters.group })}
              onRemove={() => setSearch({ group: undefined })}
            />
          </>
        }
        bulkActions={(assignments, clear) => (
          <Button variant="default" onClick={() => setRemoval({ assignments, done: clear })}>
            {t("assignments.remove")}
          </Button>
        )}
        columns={[
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
          {
            id: "since",
            header: t("assignments.columns.since"),
            sort: "createdAt",
            width: "9rem",
            secondary: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
          {
            id: "until",
            header: t("assignments.columns.until"),
            width: "9rem",
            secondary: true,
            cell: ({ expiresAt }) =>
              expiresAt === null ? t("assignments.forGood") : <Time at={expiresAt} />,
          },
          {
            id: "explain",
            header: t("parts.explain"),
            quiet: true,
            align: "end",
            width: "6.5rem",
            secondary: true,
            cell: ({ email, scope }) =>
              email !== null && (
                <Link to={withQuery("/explain", { email, scope })}>{t("parts.explain")}</Link>
              ),
          },
        ]}
      />
      {removal !== undefined && (
        <RemoveAssignments
          assignments={removal.assignments}
          onRemoved={removal.done}
          onClose={() => setRemoval(undefined)}
        />
      )}
    </Page>
  );
}

/** What the row is called. */
export function assignee({ email, group }: Assignment): string {
  return email ?? group?.key ?? "";
}

function toDetails({ email, group, scope }: Assignment): string {
  if (email !== null) return withQuery("/explain", { email, scope });
  return withQuery("/assignments", { group: group === null ? undefined : `${group.provider}:${group.key}` });
}

function Assignee({ assignment }: { readonly assignment: Assignment }) {
  const t = useText();
  const { email, person, group } = assignment;
  const link = (
    <Link to={toDetails(assignment)}>
      <Breakable>{person?.name ?? email ?? group?.key ?? ""}</Breakable>
    </Link>
  );
  if (group !== null) {
    return (
      <>
        {link}
        <div className="muted">{t("assignments.groupOf", { provider: group.providerName })}</div>
      </>
    );
  }
  const state =
    person === null ? t("assignments.neverSignedIn") : person.enabled ? undefined : t("assignments.disabled");
  const known = person?.name === null || person === null ? undefined : email;
  return (
    <>
      {link}
      <div className="muted">
        <Breakable>{[known, state].filter(Boolean).join(" · ")}</Breakable>
      </div>
    </>
  );
}

function FilterChip({
  label,
  onRemove,
}: {
  readonly label: string | undefined;
  readonly onRemove: () => void;
}) {
  const t = useText();
  if (label === undefined || label === "") return undefined;
  return (
    <button
      type="button"
      className="filter-chip"
      onClick={onRemove}
      aria-label={`${label}. ${t("assignments.removeFilter")}`}
    >
      {label}
      <Icon name="close" size={12} />
    </button>
  );
}
