import type { AdminSettings } from "@admin/settings";
import { Textarea, TextInput } from "@mantine/core";
import { useForget, useItem } from "../../api/queries";
import { request } from "../../api/request";
import { renewSession } from "../../api/session";
import { formatNumber, useMessages } from "../../messages/language";
import { partsMessages } from "../../messages/parts";
import { EditForm } from "../../parts/edit-form";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { LogoSection } from "./logo-section";
import { messages } from "./messages";

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
  const t = useMessages(messages);
  const { save } = useMessages(partsMessages);
  const forget = useForget();
  const refresh = async () => {
    await forget("/settings", "/overview");
    // The bar at the top shows the name and the logo.
    await renewSession();
  };
  const form = useEdit<SettingsValues, AdminSettings>({
    initial: toValues(settings),
    version: settings.version,
    send: ({ installationName, instructions }, { version }) =>
      request("/settings", {
        method: "PATCH",
        version,
        body: { installationName, instructions: instructions.trim() === "" ? null : instructions },
      }),
    toValues,
    onSaved: refresh,
  });
  const { length } = form.values.instructions.trim();
  return (
    <Page title={t.title} lead={t.lead} narrow actions={<HistoryLink subject="installation.changed" />}>
      <EditForm
        form={form}
        submitLabel={save}
        labels={{ installationName: t.name, instructions: t.instructions }}
      >
        <TextInput {...form.field("installationName")} label={t.name} description={t.nameHelp} />
        <div>
          <Textarea
            {...form.field("instructions")}
            label={t.instructions}
            description={t.instructionsHelp}
            placeholder={t.instructionsPlaceholder}
            rows={6}
          />
          <p className="field-count" data-over={length > maximumInstructions}>
            {t.used(formatNumber(length), formatNumber(maximumInstructions))}
          </p>
        </div>
      </EditForm>
      <LogoSection
        settings={settings}
        blocked={form.dirty}
        onStored={async (stored) => {
          form.changedBeside(stored);
          await refresh();
        }}
      />
    </Page>
  );
}

function toValues({ installationName, instructions }: AdminSettings): SettingsValues {
  return { installationName, instructions: instructions ?? "" };
}
