import type { ConnectorDiscovery } from "@admin/connectors";
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { Scope } from "../../parts/identifier";
import { useAction } from "../../parts/use-action";
import type { Edit } from "../../parts/use-edit";
import { CheckList } from "../../parts/check-list";
import { type ConnectorValues, hasBraces, newRows } from "./connector-values";

/** Offered scopes shown at most. */
const most = 24;

/** The issuer, and a button that reads everything else from it. */
export function Discovery({ form }: { readonly form: Edit<ConnectorValues> }) {
  const t = useText();
  const { run, working, fieldProblem } = useAction();
  const [found, setFound] = useState<ConnectorDiscovery>();
  const { values, set } = form;

  const read = () =>
    run(async () => {
      setFound(undefined);
      const key = values.key.trim();
      const body = { issuer: values.issuer.trim(), ...(key !== "" && { key }) };
      const discovery = await request<ConnectorDiscovery>("/connectors/discoveries", {
        method: "POST",
        body,
      });
      setFound(discovery);
      if (discovery.draft !== null) set(fillIn(discovery.draft));
    });

  const offered = (found?.scopesSupported ?? []).filter((name) => newRows([name], values.scopes).length > 0);
  return (
    <div className="stack">
      <div className="inline-form">
        <TextInput
          {...form.field("issuer")}
          error={fieldProblem ?? form.errorOf("issuer")}
          label={t("connectors.fields.issuer")}
          description={
            hasBraces(values.issuer) ? t("connectors.fields.braces") : t("connectors.fields.issuerHelp")
          }
          classNames={{ input: "mono" }}
          type="url"
          autoComplete="off"
          spellCheck={false}
        />
        <Button
          variant="default"
          onClick={() => void read()}
          loading={working}
          disabled={values.issuer.trim() === "" || hasBraces(values.issuer)}
        >
          {found === undefined ? t("connectors.discovery.run") : t("connectors.discovery.again")}
        </Button>
      </div>
      <div aria-live="polite" className="stack" hidden={found === undefined}>
        {found !== undefined && (
          <>
            <p>
              <strong>
                {found.draft === null ? t("connectors.discovery.failed") : t("connectors.discovery.filled")}
              </strong>
            </p>
            <CheckList checks={found.checks} />
            {offered.length > 0 && (
              <div>
                <p className="muted">{t("connectors.discovery.offered")}</p>
                <div className="scopes">
                  {offered.slice(0, most).map((name) => (
                    <button
                      key={name}
                      type="button"
                      className="scope-offer"
                      aria-label={t("connectors.discovery.take", { scope: name })}
                      onClick={() => set({ scopes: [...values.scopes, ...newRows([name], values.scopes)] })}
                    >
                      <Scope>{name}</Scope>
                    </button>
                  ))}
                </div>
              </div>
            )}
          </>
        )}
      </div>
    </div>
  );
}

/** The third party's own metadata as form values; missing members become empty. */
function fillIn(draft: NonNullable<ConnectorDiscovery["draft"]>): Partial<ConnectorValues> {
  return {
    issuer: draft.issuer,
    authorizationEndpoint: draft.authorizationEndpoint,
    tokenEndpoint: draft.tokenEndpoint,
    revocationEndpoint: draft.revocationEndpoint ?? "",
    accountEndpoint: draft.accountEndpoint ?? "",
    tokenEndpointAuthMethod: draft.tokenEndpointAuthMethod,
  };
}
