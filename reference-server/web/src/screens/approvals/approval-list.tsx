import type { AdminApproval } from "@admin/approvals";
import { SegmentedControl } from "@mantine/core";
import { screenPath, useSearch } from "../../address/links";
import { NameCell } from "../../parts/columns";
import { useText } from "../../text/text";
import { Breakable, Identifier } from "../../parts/identifier";
import { Page } from "../../parts/page";
import { personName } from "../../parts/person";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";

const states = ["pending", "approved", "collected", "declined", "expired", "withdrawn"] as const;

/** Approvals of one state; at first the pending ones. */
export default function ApprovalList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const state = states.find((one) => one === search.get("state")) ?? "pending";
  return (
    <Page title={t("approvals.title")} lead={t("approvals.lead")}>
      {/* Outside the table, which shows nothing but its empty state while nothing waits. */}
      <SegmentedControl
        value={state}
        onChange={(next) => setSearch({ state: next === "pending" ? undefined : next })}
        data={states.map((value) => ({ value, label: t(`approvals.states.${value}`) }))}
        aria-label={t("approvals.state")}
      />
      <ResourceTable<AdminApproval>
        list="/approvals"
        filters={{ state }}
        filtered={state !== "pending"}
        defaultSort="-createdAt"
        rowId={({ id }) => id}
        rowName={({ method, resource }) => `${method} ${resource.name}`}
        rowTo={({ id }) => screenPath("approvals", id)}
        empty={{ title: t("approvals.empty.title"), text: t("approvals.empty.text") }}
        columns={[
          {
            id: "call",
            header: t("approvals.columns.call"),
            cell: ({ id, method, type, resource }) => (
              <NameCell to={screenPath("approvals", id)} name={`${method} ${resource.name}`}>
                <Identifier>{type}</Identifier>
              </NameCell>
            ),
          },
          {
            id: "who",
            header: t("approvals.columns.who"),
            cell: ({ person }) => <Breakable>{personName(person)}</Breakable>,
          },
          {
            id: "app",
            header: t("approvals.columns.app"),
            cell: ({ client }) => <Breakable>{client.name ?? client.id}</Breakable>,
          },
          {
            id: "since",
            header: t("approvals.columns.since"),
            sort: "createdAt",
            width: "9rem",
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
    </Page>
  );
}
