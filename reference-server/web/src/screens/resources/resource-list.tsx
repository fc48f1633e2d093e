import type { Resource } from "@admin/resources";
import { Link, screenPath } from "../../app/links";
import { useMessages } from "../../messages/language";
import { Identifier, Scopes, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { messages } from "./messages";

export default function ResourceList() {
  const t = useMessages(messages);
  const register = <MainAction to="/resources/register">{t.register}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={register}>
      <ResourceTable<Resource>
        list="/resources"
        searchLabel={t.plural}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("resources", key)}
        empty={{ ...t.empty, action: register }}
        columns={[
          {
            id: "name",
            header: t.columns.name,
            sort: "name",
            width: "24%",
            cell: ({ key, name }) => (
              <>
                <Link to={screenPath("resources", key)}>{name}</Link>
                <div className="muted">
                  <Identifier>{key}</Identifier>
                </div>
              </>
            ),
          },
          {
            id: "resource",
            header: t.columns.resource,
            secondary: true,
            cell: ({ resource }) => <Identifier>{resource}</Identifier>,
          },
          {
            id: "scopes",
            header: t.columns.scopes,
            width: "26%",
            secondary: true,
            cell: ({ supportedScopes }) => <Scopes keys={supportedScopes} most={3} />,
          },
          {
            id: "state",
            header: t.columns.state,
            width: "8.5rem",
            cell: ({ enabled }) => <ResourceState enabled={enabled} />,
          },
          {
            id: "changed",
            header: t.columns.changed,
            width: "8rem",
            secondary: true,
            cell: ({ updatedAt }) => <Time at={updatedAt} />,
          },
        ]}
      />
    </Page>
  );
}

function ResourceState({ enabled }: { readonly enabled: boolean }) {
  const t = useMessages(messages);
  return <Status tone={enabled ? "good" : "neutral"}>{enabled ? t.enabled : t.disabled}</Status>;
}
