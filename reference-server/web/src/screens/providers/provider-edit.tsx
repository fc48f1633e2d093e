import type { IdentityProvider } from "@admin/identity-providers";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath, useParam, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton, IfMay } from "../../parts/if-may";
import { DeleteObject } from "../../parts/delete-object";
import { Copyable } from "../../parts/copyable";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { ProviderCheck } from "./provider-check";
import { PresenceState } from "./presence-state";
import { ProviderFields } from "./provider-fields";
import { ProvisioningSection } from "./provisioning-section";
import { TestChanges, TestSignIn } from "./test-sign-in";
import { type ProviderValues, toProviderPatch, toProviderValues } from "./provider-values";

export default function ProviderEdit() {
  const key = useParam("key");
  const answer = useItem<IdentityProvider>(apiPath("identity-providers", key));
  return <Loaded answer={answer}>{(provider) => <Editor key={provider.key} provider={provider} />}</Loaded>;
}

function Editor({ provider }: { readonly provider: IdentityProvider }) {
  const t = useText();
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const { key, name, people, callbackUrl, groupProvider } = provider;
  const form = useEdit<ProviderValues, IdentityProvider>({
    initial: toProviderValues(provider),
    version: provider.version,
    previews: true,
    send: (values, { version, preview }) =>
      request(apiPath("identity-providers", key), {
        method: "PATCH",
        body: toProviderPatch(values),
        version,
        query: { preview: preview || undefined },
      }),
    toValues: toProviderValues,
    onSaved: () => forget("/identity-providers", "/sessions", "/users", "/groups"),
  });
  return (
    <Page
      title={name}
      lead={<Identifier>{key}</Identifier>}
      parent={{ to: "/identity-providers", title: t("providers.title") }}
      narrow
      actions={
        <>
          <HistoryLink subject={key} />
          <ActionButton
            route="DELETE /identity-providers/{key}"
            variant="default"
            onClick={() => setDeleting(true)}
          >
            {t("providers.delete")}
          </ActionButton>
        </>
      }
    >
      <IfMay route="POST /identity-providers/{key}/tests">
        <TestSignIn provider={provider} form={form} />
      </IfMay>
      <PresenceState provider={provider} />
      <EditForm
        route="PATCH /identity-providers/{key}"
        form={form}
        submitLabel={t("parts.save")}
        labels="providers.fields"
        secrets={["clientSecret"]}
      >
        <div className="note-box">
          <p>{t("providers.callback")}</p>
          <Copyable>{callbackUrl}</Copyable>
          <p>{t("providers.backchannelLogout")}</p>
          <Copyable>{provider.backchannelLogoutUri}</Copyable>
        </div>
        <ProviderFields form={form} hasSecret={provider.hasClientSecret} />
        <TestChanges provider={provider} form={form} />
      </EditForm>
      <IfMay route="POST /identity-providers/checks">
        <ProviderCheck values={form.values} />
      </IfMay>
      <Section
        title={t("providers.groups")}
        actions={
          groupProvider === null && (
            <LinkButton to={withQuery("/group-providers/new", { provider: key })}>
              {t("providers.groupsUse")}
            </LinkButton>
          )
        }
      >
        {groupProvider === null ? (
          <p className="muted">{t("providers.groupsNone")}</p>
        ) : (
          <p>
            {t("providers.groupsFrom", {
              name: groupProvider,
              link: (inside) => <Link to={screenPath("group-providers", groupProvider)}>{inside}</Link>,
            })}
          </p>
        )}
      </Section>
      <ProvisioningSection provider={provider} />
      <Section
        title={t("providers.signals")}
        lead={t("providers.signalsText")}
        actions={
          <LinkButton to={withQuery("/signal-streams/new", { provider: key })}>
            {t("providers.signalsAdd")}
          </LinkButton>
        }
      />
      <Section
        title={t("providers.people", { count: people })}
        actions={
          <LinkButton to={withQuery("/sessions", { provider: key })}>
            {t("providers.showSessions")}
          </LinkButton>
        }
      >
        {undefined}
      </Section>
      {deleting && <DeleteProvider provider={provider} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function DeleteProvider({
  provider,
  onClose,
}: {
  readonly provider: IdentityProvider;
  readonly onClose: () => void;
}) {
  const t = useText();
  return (
    <DeleteObject
      list="identity-providers"
      object={provider}
      texts="providers"
      affects={["/sessions", "/users"]}
      onClose={onClose}
    >
      <p>{t("providers.deleteText")}</p>
    </DeleteObject>
  );
}
