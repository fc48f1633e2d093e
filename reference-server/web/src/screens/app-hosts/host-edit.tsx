import type { AppHost } from "@admin/app-hosts";
import { Button, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useParam } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { useEdit } from "../../parts/use-edit";
import { appsOf } from "./host-list";
import { affected } from "./use-decision";

export default function HostEdit() {
  const host = useParam("host");
  const answer = useItem<AppHost>(apiPath("app-hosts", host));
  return <Loaded answer={answer}>{(found) => <Editor key={found.host} found={found} />}</Loaded>;
}

type HostValues = Pick<AppHost, "name" | "allowed">;

function toValues({ name, allowed }: AppHost): HostValues {
  return { name, allowed };
}

function Editor({ found }: { readonly found: AppHost }) {
  const t = useText();
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const { host, name, version } = found;
  const form = useEdit<HostValues, AppHost>({
    initial: toValues(found),
    version,
    previews: true,
    send: (body, { version: seen, preview }) =>
      request(apiPath("app-hosts", host), {
        method: "PATCH",
        body,
        version: seen,
        query: { preview: preview || undefined },
      }),
    toValues,
    onSaved: () => forget(...affected),
  });
  return (
    <Page
      title={name}
      lead={<Identifier>{host}</Identifier>}
      parent={{ to: "/app-hosts", title: t("app-hosts.title") }}
      narrow
      actions={
        <>
          <HistoryLink subject={host} />
          <Button variant="default" onClick={() => setDeleting(true)}>
            {t("app-hosts.delete")}
          </Button>
        </>
      }
    >
      <EditForm
        route="PATCH /app-hosts/{host}"
        form={form}
        submitLabel={t("parts.save")}
        labels="app-hosts.fields"
      >
        <TextInput
          {...form.field("name")}
          label={t("app-hosts.fields.name")}
          description={t("app-hosts.fields.nameHelp")}
        />
        <Switch
          checked={form.values.allowed}
          onChange={(event) => form.set({ allowed: event.currentTarget.checked })}
          label={t("app-hosts.fields.allowed")}
          description={t("app-hosts.fields.allowedHelp")}
        />
      </EditForm>
      <Section
        title={t("app-hosts.apps", { count: found.clients })}
        actions={found.clients > 0 && <LinkButton to={appsOf(host)}>{t("app-hosts.showApps")}</LinkButton>}
      >
        <Facts
          items={[
            [t("app-hosts.facts.decided"), <Time key="decided" at={found.createdAt} />],
            [t("app-hosts.facts.askedBy"), formatNumber(found.askedBy)],
          ]}
        />
      </Section>
      {deleting && (
        <DeleteObject
          list="app-hosts"
          object={{ key: host, name: host, version }}
          texts="app-hosts"
          affects={affected}
          onClose={() => setDeleting(false)}
        >
          <p>{t("app-hosts.deleteText")}</p>
        </DeleteObject>
      )}
    </Page>
  );
}
