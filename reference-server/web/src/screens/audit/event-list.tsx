import type { AdminAuditEvent } from "@admin/audit";
import { Button } from "@mantine/core";
import { Link, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import { menuLater } from "../../parts/later";
import { LinkButton, Page } from "../../parts/page";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { ExactTime } from "../../parts/time";
import "./audit.css";
import { About, Where, Who } from "./event-columns";
import { EventFilters } from "./event-filters";
import { explainPath, OutcomeStatus, useTypeName } from "./event-views";
import { isFiltered, readFilter } from "./filter";
import { LiveSwitch } from "./live-switch";

const ExportMenu = menuLater(() => import("./export-menu"));

/** The audit trail, newest first. Search and filters are in the address, so that links keep them. */
export default function EventList() {
  const t = useText();
  const [search] = useSearch();
  const filter = readFilter(search);
  const toEvent = ({ id }: AdminAuditEvent) =>
    `/audit/${id}${search.size === 0 ? "" : `?${search.toString()}`}`;
  return (
    <Page
      title={t("audit.title")}
      lead={t("audit.lead")}
      actions={
        <>
          <LinkButton icon="check" to="/audit/verification">
            {t("audit.verify")}
          </LinkButton>
          <ExportButton />
        </>
      }
    >
      <div className="event-list">
        <ResourceTable<AdminAuditEvent>
          list="/audit-events"
          uncounted
          filters={filter}
          filtered={isFiltered(filter)}
          search={t("audit.search")}
          toolbar={
            <>
              <EventFilters filter={filter} />
              <LiveSwitch ended={filter.to !== undefined} />
            </>
          }
          // There is only one order, newest first.
          defaultSort=""
          rowId={({ id }) => id}
          rowName={({ description }) => description}
          rowTo={toEvent}
          empty={{ title: t("audit.empty.title"), text: t("audit.empty.text") }}
          columns={useColumns(toEvent)}
        />
      </div>
    </Page>
  );
}

/** Who did what, where, with which outcome and when. */
function useColumns(toEvent: (event: AdminAuditEvent) => string): readonly Column<AdminAuditEvent>[] {
  const t = useText();
  const typeName = useTypeName();
  return [
    {
      id: "who",
      header: t("audit.columns.who"),
      width: "21%",
      cell: (event) => <Who event={event} />,
    },
    {
      id: "what",
      header: t("audit.columns.what"),
      cell: (event) => (
        <>
          <Link to={toEvent(event)}>{typeName(event.type)}</Link>
          <About event={event} />
          <div className="only-narrow muted">
            <OutcomeStatus outcome={event.outcome} />
            <ExactTime at={event.at} />
          </div>
        </>
      ),
    },
    {
      id: "where",
      header: t("audit.columns.where"),
      width: "20%",
      secondary: true,
      cell: (event) => <Where event={event} />,
    },
    {
      id: "outcome",
      header: t("audit.columns.outcome"),
      width: "7rem",
      secondary: true,
      cell: (event) => <Outcome event={event} />,
    },
    {
      id: "at",
      header: t("audit.columns.at"),
      width: "12.5rem",
      secondary: true,
      cell: ({ at }) => <ExactTime at={at} />,
    },
  ];
}

/** Opens the menu with the formats of a download. */
function ExportButton() {
  const t = useText();
  return (
    <ExportMenu
      draw={(handlers) => (
        <Button variant="default" leftSection={<Icon name="down" />} {...handlers}>
          {t("audit.export")}
        </Button>
      )}
    />
  );
}

/** The outcome of an event; of a denied one with a link to its explanation. */
function Outcome({ event }: { readonly event: AdminAuditEvent }) {
  const t = useText();
  const path = explainPath(event);
  return (
    <>
      <OutcomeStatus outcome={event.outcome} />
      {path !== undefined && (
        <div className="event-explain">
          <Link to={path}>{t("audit.explain")}</Link>
        </div>
      )}
    </>
  );
}
