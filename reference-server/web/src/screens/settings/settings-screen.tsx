import type { AdminSettings } from "@admin/settings";
import { Textarea, TextInput } from "@mantine/core";
import { useForget, useItem } from "../../api/queries";
import { request } from "../../api/request";
import { renewSession } from "../../api/session";
import { useText } from "../../text/text";
import { IfMay } from "../../parts/if-may";
import { EditForm } from "../../parts/edit-form";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { LogoSection } from "./logo-section";

/** As the server counts them. */
const maximumInstructions = 4000;

interface SettingsValues {
  readonly installationName: string;
  readonly instructions: string;
}

export default function SettingsScreen() {
  const answer = useItem<AdminSettings>("/settings");
  return <Loaded answer={answer}>{(settings) => <Editor settings={settings} />}</Loaded>;
}

function Editor({ settings }: { readonly settings: AdminSettings }) {
  const t = useText();
  const forget = useForget();
  const refresh = async () => {
    await forget("/settings", "/overview");
    // The bar at the top shows the name and the logo.
    await renewSession();
  };
  const form = useEdit<SettingsValues, AdminSettings>({
    initial: toValues(settings),
    version: settings.version,
    previews: true,
    send: ({ installationName, instructions }, { version, preview }) =>
      request("/settings", {
        method: "PATCH",
        version,
        query: { preview: preview || undefined },
        body: { installationName, instructions: instructions.trim() === "" ? null : instructions },
      }),
    toValues,
    undoable: true,
    onSaved: refresh,
  });
  const { length } = form.values.instructions.trim();
  return (
    <Page
      title={t("settings.title")}
      lead={t("settings.lead")}
      narrow
      actions={<HistoryLink subject="installation.changed" />}
    >
      <EditForm route="PATCH /settings" form={form} submitLabel={t("parts.save")} labels="settings">
        <TextInput
          {...form.field("installationName")}
          label={t("settings.installationName")}
          description={t("settings.nameHelp")}
        />
        <div>
          <Textarea
            {...form.field("instructions")}
            label={t("settings.instructions")}
            description={t("settings.instructionsHelp")}
            placeholder={t("settings.instructionsPlaceholder")}
            rows={6}
          />
          <p className="field-count" data-over={length > maximumInstructions}>
            {t("settings.used", { used: length, most: maximumInstructions })}
          </p>
        </div>
      </EditForm>
      <IfMay route="PUT /settings/logo">
        <LogoSection
          settings={settings}
          blocked={form.dirty}
          onStored={async (stored) => {
            form.changedBeside(stored);
            await refresh();
          }}
        />
      </IfMay>
    </Page>
  );
}

function toValues({ installationName, instructions }: AdminSettings): SettingsValues {
  return { installationName, instructions: instructions ?? "" };
}
