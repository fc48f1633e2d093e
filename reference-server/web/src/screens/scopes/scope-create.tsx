import type { CreateScope, Scope } from "@admin/scopes";
import { Textarea, TextInput } from "@mantine/core";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../app/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";

export default function ScopeCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const form = useEdit<CreateScope, Scope>({
    initial: { key: "", description: "" },
    send: (body) => request<Scope>("/scopes", { method: "POST", body }),
    onSaved: async () => {
      await forget("/scopes");
      go(screenPath("scopes"), { replace: true });
    },
  });
  return (
    <Page title={t("scopes.createTitle")} parent={{ to: "/scopes", title: t("scopes.title") }} narrow>
      <EditForm form={form} submitLabel={t("scopes.createSubmit")} cancelTo="/scopes" labels="scopes" creates>
        <TextInput
          {...form.field("key")}
          label={t("scopes.key")}
          description={t("scopes.keyHelp")}
          placeholder="contracts:read"
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        <Textarea
          {...form.field("description")}
          label={t("scopes.description")}
          description={t("scopes.descriptionHelp")}
          rows={2}
        />
      </EditForm>
    </Page>
  );
}
