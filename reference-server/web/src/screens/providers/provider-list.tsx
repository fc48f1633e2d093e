import type { IdentityProvider } from "@admin/identity-providers";
import { Link, screenPath } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Identifier, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { messages } from "./messages";

export default function ProviderList() {
  const t = useMessages(messages);
  const create = <MainAction to="/identity-providers/new">{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <ResourceTable<IdentityProvider>
        list="/identity-providers"
        searchLabel={t.plural}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("identity-providers", key)}
        empty={{ ...t.empty, action: create }}
        columns={[
          {
            id: "name",
            header: t.columns.name,
            sort: "name",
            cell: ({ key, name }) => (
              <>
                <Link to={screenPath("identity-providers", key)}>{name}</Link>
                <div className="muted">
                  <Identifier>{key}</Identifier>
                </div>
              </>
            ),
          },
          {
            id: "issuer",
            header: t.columns.issuer,
            width: "32%",
            secondary: true,
            cell: ({ issuer }) => <Identifier>{issuer}</Identifier>,
          },
          {
            id: "domains",
            header: t.columns.domains,
            width: "20%",
            secondary: true,
            cell: ({ allowedEmailDomains: domains }) =>
              domains.length === 0 ? <span className="muted">{t.everyDomain}</span> : domains.join(", "),
          },
          {
            id: "people",
            header: t.columns.people,
            align: "end",
            width: "6.5rem",
            secondary: true,
            cell: ({ people }) => formatNumber(people),
          },
          {
            id: "state",
            header: t.columns.state,
            width: "9rem",
            cell: ({ enabled }) => (
              <Status tone={enabled ? "good" : "neutral"}>{enabled ? t.enabled : t.disabled}</Status>
            ),
          },
        ]}
      />
    </Page>
  );
}
