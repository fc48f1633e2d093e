import type { AppPolicy } from "@admin/app-hosts";
import { Switch } from "@mantine/core";
import { useForget, useItem } from "../../api/queries";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { Choice } from "../../parts/choice";
import { EditForm } from "../../parts/edit-form";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { HostViews } from "./host-views";
import { affected } from "./use-decision";

export default function Policy() {
  const answer = useItem<AppPolicy>("/app-policy");
  return <Loaded answer={answer}>{(policy) => <Editor policy={policy} />}</Loaded>;
}

type PolicyValues = Pick<AppPolicy, "trust" | "dynamicRegistration">;

function toValues({ trust, dynamicRegistration }: AppPolicy): PolicyValues {
  return { trust, dynamicRegistration };
}

const choices = ["off", "listed", "any"] as const;

/** The policy for unregistered apps. Saving first shows which signed-in apps would stop. */
function Editor({ policy }: { readonly policy: AppPolicy }) {
  const t = useText();
  const forget = useForget();
  const form = useEdit<PolicyValues, AppPolicy>({
    initial: toValues(policy),
    version: policy.version,
    previews: true,
    send: (body, { version, preview }) =>
      request("/app-policy", { method: "PATCH", body, version, query: { preview: preview || undefined } }),
    toValues,
    onSaved: () => forget(...affected, "/settings"),
  });
  const { trust, dynamicRegistration } = form.values;
  return (
    <Page
      title={t("app-hosts.title")}
      lead={t("app-hosts.lead")}
      narrow
      actions={<HistoryLink subject="installation.changed" />}
    >
      <HostViews />
      <EditForm route="PATCH /app-policy" form={form} submitLabel={t("parts.save")} labels="app-hosts.policy">
        <Choice
          label={t("app-hosts.policy.trust")}
          value={trust}
          options={choices.map((value) => ({ value, label: t(`app-hosts.policy.${value}`) }))}
          help={t(`app-hosts.policy.help.${trust}`)}
          onChange={(next) => form.set({ trust: next })}
        />
        <Switch
          checked={dynamicRegistration}
          onChange={(event) => form.set({ dynamicRegistration: event.currentTarget.checked })}
          label={t("app-hosts.policy.dynamicRegistration")}
          description={t("app-hosts.policy.dynamicRegistrationHelp")}
        />
      </EditForm>
    </Page>
  );
}
