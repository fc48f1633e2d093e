import type { IdentityProvider } from "@admin/identity-providers";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath, useParam, withQuery } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { partsMessages } from "../../messages/parts";
import { DeleteObject } from "../../parts/delete-object";
import { Copyable } from "../../parts/copyable";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { messages } from "./messages";
import { ProviderCheck } from "./provider-check";
import { ProviderFields, useProviderLabels } from "./provider-fields";
import { type ProviderValues, toProviderPatch, toProviderValues } from "./provider-values";

export default function ProviderEdit() {
  const key = useParam("key");
  const answer = useItem<IdentityProvider>(apiPath("identity-providers", key));
  return <Loaded answer={answer}>{(provider) => <Editor key={provider.key} provider={provider} />}</Loaded>;
}

function Editor({ provider }: { readonly provider: IdentityProvider }) {
  const t = useMessages(messages);
  const { save } = useMessages(partsMessages);
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
      parent={{ to: "/identity-providers", title: t.title }}
      narrow
      actions={
        <>
          <HistoryLink subject={key} />
          <Button variant="default" onClick={() => setDeleting(true)}>
            {t.delete}
          </Button>
        </>
      }
    >
      <EditForm form={form} submitLabel={save} labels={useProviderLabels()} secrets={["clientSecret"]}>
        <div className="note-box">
          <p>{t.callback}</p>
          <Copyable>{callbackUrl}</Copyable>
        </div>
        <ProviderFields form={form} hasSecret={provider.hasClientSecret} />
      </EditForm>
      <ProviderCheck values={form.values} />
      <Section
        title={t.groups}
        actions={
          groupProvider === null && (
            <LinkButton to={withQuery("/group-providers/new", { provider: key })}>{t.groupsUse}</LinkButton>
          )
        }
      >
        {groupProvider === null ? (
          <p className="muted">{t.groupsNone}</p>
        ) : (
          <p>
            {t.groupsFrom} <Link to={screenPath("group-providers", groupProvider)}>{groupProvider}</Link>.
          </p>
        )}
      </Section>
      <Section
        title={t.people(formatNumber(people))}
        actions={<LinkButton to={withQuery("/sessions", { provider: key })}>{t.showSessions}</LinkButton>}
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
  const t = useMessages(messages);
  return (
    <DeleteObject
      list="identity-providers"
      object={provider}
      words={t}
      affects={["/sessions", "/users"]}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
    </DeleteObject>
  );
}
