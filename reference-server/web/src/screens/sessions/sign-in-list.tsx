import { Button } from "@mantine/core";
import { type ComponentType, type ReactNode, useState } from "react";
import { screenPath, withQuery } from "../../address/links";
import { type Route, useMay } from "../../api/session";
import { useFilters } from "../../parts/filters";
import { Page } from "../../parts/page";
import { type Person, PersonCell, personName } from "../../parts/person";
import { type Column, ResourceTable, type Selection } from "../../parts/resource-table";
import type { ResourceTableProps } from "../../parts/resource-table-props";
import { Views } from "../../parts/views";
import { useText } from "../../text/text";
import type { EndProps } from "./end-sign-ins";
import { PersonChip } from "./person-chip";

interface SignIn {
  readonly id: string;
  readonly user: Person;
  readonly changeable: boolean;
}

interface SignInListProps<Item>
  extends Pick<ResourceTableProps<Item>, "list" | "suggests" | "defaultSort" | "empty"> {
  /** The screen, below /admin. */
  readonly path: string;
  /** Names of the filters in the address. */
  readonly filterNames: readonly string[];
  readonly toolbar: ReactNode;
  readonly columns: readonly Column<Item>[];
  /** The label of the button that ends the selected ones. */
  readonly endLabel: string;
  readonly canEnd?: (item: Item) => boolean;
  /** Asks before sign-ins end. */
  readonly End: ComponentType<EndProps<Item>>;
}

interface Ending<Item> {
  readonly selection: Selection<Item>;
  readonly onEnded?: () => void;
}

/** Where people are signed in, in browsers or with apps, and how to end that. */
export function SignInList<Item extends SignIn>(props: SignInListProps<Item>) {
  const { path, filterNames, toolbar, columns, endLabel, canEnd, End, ...table } = props;
  const t = useText();
  const mayEnd = useMay()(`POST ${table.list}/revocations` as Route);
  const [ending, setEnding] = useState<Ending<Item>>();
  const { filters, filtered } = useFilters(...filterNames);
  const user = filters["user"];
  return (
    <Page title={t("sessions.title")} lead={t("sessions.lead")}>
      {/* A list of one person's sign-ins leads to the other list of the same person. */}
      <Views
        label={t("sessions.views")}
        views={[
          [withQuery("/sessions", { user }), t("sessions.browsers")],
          [withQuery("/sessions/devices", { user }), t("sessions.apps")],
        ]}
      />
      <ResourceTable<Item>
        {...table}
        filters={filters}
        filtered={filtered}
        search={t("sessions.search")}
        rowId={({ id }) => id}
        rowName={(item) => personName(item.user)}
        rowTo={(item) => screenPath("users", item.user.id)}
        toolbar={
          <>
            {toolbar}
            <PersonChip />
          </>
        }
        {...(mayEnd && {
          bulkActions: (selection: Selection<Item>, onEnded: () => void) => (
            <Button variant="default" onClick={() => setEnding({ selection, onEnded })}>
              {endLabel}
            </Button>
          ),
        })}
        selectsAll
        rowActions={(item) => [
          { label: t("sessions.openPerson"), to: screenPath("users", item.user.id) },
          { label: t("sessions.onlyTheirs"), to: withQuery(path, { user: item.user.id }) },
          ...(!mayEnd || canEnd?.(item) === false
            ? []
            : [
                {
                  label: t("sessions.end"),
                  destructive: true,
                  refused: item.changeable ? undefined : t("sessions.notChangeable"),
                  onSelect: () => setEnding({ selection: { ids: [item.id], items: [item] } }),
                },
              ]),
        ]}
        columns={[
          {
            id: "person",
            header: t("sessions.columns.person"),
            cell: (item) => <PersonCell person={item.user} />,
          },
          ...columns,
        ]}
      />
      {ending !== undefined && <End {...ending} onClose={() => setEnding(undefined)} />}
    </Page>
  );
}
