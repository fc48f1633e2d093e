import type { CreateScope, Scope } from "@admin/scopes";
import { Textarea, TextInput } from "@mantine/core";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../app/links";
import { useMessages } from "../../messages/language";
import { EditForm } from "../../parts/edit-form";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { messages } from "./messages";

export default function ScopeCreate() {
  const t = useMessages(messages);
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
    <Page title={t.createTitle} parent={{ to: "/scopes", title: t.title }} narrow>
      <EditForm
        form={form}
        submitLabel={t.createSubmit}
        cancelTo="/scopes"
        labels={{ key: t.key, description: t.description }}
        creates
      >
        <TextInput
          {...form.field("key")}
          label={t.key}
          description={t.keyHelp}
          placeholder="contracts:read"
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        <Textarea
          {...form.field("description")}
          label={t.description}
          description={t.descriptionHelp}
          rows={2}
        />
      </EditForm>
    </Page>
  );
}
