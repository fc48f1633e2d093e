import type { Assignment } from "@admin/assignments";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useSearch, withQuery } from "../../app/links";
import { useMessages } from "../../messages/language";
import { partsMessages } from "../../messages/parts";
import { Icon } from "../../parts/icon";
import { Breakable, Scope } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ScopeFilter } from "../../parts/pickers";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { messages } from "./messages";
import { RemoveAssignments } from "./remove-assignments";

interface Removal {
  readonly assignments: readonly Assignment[];
  readonly done: () => void;
}

export default function AssignmentList() {
  const t = useMessages(messages);
  const { explain } = useMessages(partsMessages);
  const [search, setSearch] = useSearch();
  const [removal, setRemoval] = useState<Removal>();
  const filters = {
    email: search.get("email") ?? undefined,
    group: search.get("group") ?? undefined,
    scope: search.get("scope") ?? undefined,
  };
  const create = <MainAction to={withQuery("/assignments/new", filters)}>{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <ResourceTable<Assignment>
        list="/assignments"
        filters={filters}
        filtered={Object.values(filters).some((value) => value !== undefined)}
        searchLabel={t.plural}
        defaultSort="assignee"
        rowId={({ id }) => id}
        rowName={assignee}
        rowTo={toDetails}
        empty={{ ...t.empty, action: create }}
        toolbar={
          <>
            <ScopeFilter
              label={t.filterScope}
              value={filters.scope ?? null}
              onChange={(scope) => setSearch({ scope: scope ?? undefined })}
            />
            <FilterChip
              label={filters.email && t.onlyEmail(filters.email)}
              onRemove={() => setSearch({ email: undefined })}
            />
            <FilterChip
              label={filters.group && t.onlyGroup(filters.group)}
              onRemove={() => setSearch({ group: undefined })}
            />
          </>
        }
        bulkActions={(assignments, clear) => (
          <Button variant="default" onClick={() => setRemoval({ assignments, done: clear })}>
            {t.remove}
          </Button>
        )}
        columns={[
          {
            id: "who",
            header: t.columns.who,
            sort: "assignee",
            cell: (assignment) => <Assignee assignment={assignment} />,
          },
          {
            id: "scope",
            header: t.columns.scope,
            sort: "scope",
            width: "var(--scope-column)",
            cell: ({ scope }) => <Scope>{scope}</Scope>,
          },
          {
            id: "since",
            header: t.columns.since,
            sort: "createdAt",
            width: "9rem",
            secondary: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
          {
            id: "explain",
            header: explain,
            quiet: true,
            align: "end",
            width: "6.5rem",
            secondary: true,
            cell: ({ email, scope }) =>
              email !== null && <Link to={withQuery("/explain", { email, scope })}>{explain}</Link>,
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
  const t = useMessages(messages);
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
        <div className="muted">{t.groupOf(group.providerName)}</div>
      </>
    );
  }
  const state = person === null ? t.neverSignedIn : person.enabled ? undefined : t.disabled;
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
  const t = useMessages(messages);
  if (label === undefined || label === "") return undefined;
  return (
    <button
      type="button"
      className="filter-chip"
      onClick={onRemove}
      aria-label={`${label}. ${t.removeFilter}`}
    >
      {label}
      <Icon name="close" size={12} />
    </button>
  );
}
