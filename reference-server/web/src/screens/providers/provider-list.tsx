import type { IdentityProvider } from "@admin/identity-providers";
import { screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Identifier, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { countColumn, NameCell } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";

export default function ProviderList() {
  const t = useText();
  const create = (
    <MainAction route="POST /identity-providers" to="/identity-providers/new">
      {t("providers.create")}
    </MainAction>
  );
  return (
    <Page title={t("providers.title")} lead={t("providers.lead")} actions={create}>
      <ResourceTable<IdentityProvider>
        list="/identity-providers"
        search={t("providers.search")}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("identity-providers", key)}
        empty={{ title: t("providers.empty.title"), text: t("providers.empty.text"), action: create }}
        columns={[
          {
            id: "name",
            header: t("providers.columns.name"),
            sort: "name",
            cell: ({ key, name }) => (
              <NameCell to={screenPath("identity-providers", key)} name={name}>
                <Identifier>{key}</Identifier>
              </NameCell>
            ),
          },
          {
            id: "issuer",
            header: t("providers.columns.issuer"),
            width: "32%",
            secondary: true,
            cell: ({ issuer }) => <Identifier>{issuer}</Identifier>,
          },
          {
            id: "domains",
            header: t("providers.columns.domains"),
            width: "20%",
            secondary: true,
            cell: ({ allowedEmailDomains: domains }) =>
              domains.length === 0 ? (
                <span className="muted">{t("providers.everyDomain")}</span>
              ) : (
                domains.join(", ")
              ),
          },
          countColumn("people", t("providers.columns.people"), "6.5rem", ({ people }) => people),
          {
            id: "state",
            header: t("providers.columns.state"),
            width: "9rem",
            cell: ({ enabled, test }) => (
              <>
                <Status tone={enabled ? "good" : "neutral"}>
                  {enabled ? t("providers.enabled") : t("providers.disabled")}
                </Status>
                {!enabled && test.state !== "passed" && (
                  <div className="muted">{t("providers.untested")}</div>
                )}
              </>
            ),
          },
        ]}
      />
    </Page>
  );
}
