import type { Proposal } from "@admin/proposals";
import { screenPath } from "../../address/links";
import { NameCell, timeColumn } from "../../parts/columns";
import { Status } from "../../parts/identifier";
import { Page } from "../../parts/page";
import { personName } from "../../parts/person";
import { ResourceTable } from "../../parts/resource-table";
import { useText } from "../../text/text";

/** Changes of skills that wait for a second person. */
export default function ProposalList() {
  const t = useText();
  return (
    <Page title={t("proposals.title")} lead={t("proposals.lead")}>
      <ResourceTable<Proposal>
        list="/proposals"
        defaultSort="-proposedAt"
        rowId={({ id }) => id}
        rowName={({ skill }) => skill}
        rowTo={({ id }) => screenPath("proposals", id)}
        empty={{ title: t("proposals.empty.title"), text: t("proposals.empty.text") }}
        columns={[
          {
            id: "skill",
            header: t("proposals.columns.skill"),
            cell: ({ id, skill, action }) => (
              <NameCell to={screenPath("proposals", id)} name={skill}>
                {t(`proposals.actions.${action}`)}
              </NameCell>
            ),
          },
          {
            id: "who",
            header: t("proposals.columns.who"),
            width: "34%",
            cell: ({ proposedBy }) => personName(proposedBy),
          },
          {
            id: "state",
            header: t("proposals.columns.state"),
            width: "10rem",
            secondary: true,
            cell: ({ own }) => (
              <Status tone="neutral">{own ? t("proposals.own") : t("proposals.waits")}</Status>
            ),
          },
          timeColumn(
            "since",
            t("proposals.columns.since"),
            "9rem",
            ({ proposedAt }) => proposedAt,
            "proposedAt",
          ),
        ]}
      />
    </Page>
  );
}
