import type { AppHost } from "@admin/app-hosts";
import { TextInput } from "@mantine/core";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { useGo } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { affected } from "./use-decision";
import { hostName, readHost } from "./well-known-hosts";

interface NewHost {
  readonly host: string;
  readonly name: string;
}

/** Allows one more host: a whole address can be pasted. */
export default function HostCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const form = useEdit<NewHost, AppHost>({
    initial: { host: "", name: "" },
    previews: "beside",
    send: ({ host: typed, name }, { preview }) => {
      const host = readHost(typed);
      const body = { host, name: name.trim() === "" ? hostName(host) : name };
      return request<AppHost>("/app-hosts", {
        method: "POST",
        body,
        query: { preview: preview || undefined },
      });
    },
    onSaved: async () => {
      await forget(...affected);
      go("/app-hosts", { replace: true });
    },
  });
  return (
    <Page title={t("app-hosts.create")} parent={{ to: "/app-hosts", title: t("app-hosts.title") }} narrow>
      <EditForm
        route="POST /app-hosts"
        form={form}
        submitLabel={t("app-hosts.createSubmit")}
        cancelTo="/app-hosts"
        labels="app-hosts.fields"
        creates
      >
        <TextInput
          {...form.field("host")}
          label={t("app-hosts.fields.host")}
          description={t("app-hosts.fields.hostHelp")}
          placeholder="claude.ai"
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        <TextInput
          {...form.field("name")}
          label={t("app-hosts.fields.name")}
          description={t("app-hosts.fields.nameHelp")}
          placeholder={hostName(readHost(form.values.host))}
        />
      </EditForm>
    </Page>
  );
}
