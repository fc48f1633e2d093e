import type { IdentityProvider } from "@admin/identity-providers";
import { NumberInput, PasswordInput, Switch, TextInput } from "@mantine/core";
import { useList } from "../../api/queries";
import { useText } from "../../text/text";
import { Choice } from "../../parts/choice";
import "../../parts/lists.css";
import { Select } from "../../parts/fields";
import type { Edit } from "../../parts/use-edit";
import type { StreamValues } from "./stream-values";

const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false } as const;
const hourSeconds = 3600;

/** The fields of a new stream. */
export function NewStreamFields({ form }: { readonly form: Edit<StreamValues> }) {
  const t = useText();
  const { values, set } = form;
  const { data } = useList<IdentityProvider>("/identity-providers", { limit: 200, sort: "name" });
  const providers = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <TextInput
        {...form.field("name")}
        label={t("signal-streams.fields.name")}
        description={t("signal-streams.fields.nameHelp")}
      />
      <TextInput
        {...form.field("key")}
        {...code}
        label={t("signal-streams.fields.key")}
        description={t("signal-streams.fields.keyHelp")}
      />
      <Select
        label={t("signal-streams.fields.provider")}
        description={t("signal-streams.fields.providerHelp")}
        value={values.provider === "" ? null : values.provider}
        onChange={(provider) => set({ provider: provider ?? "" })}
        data={providers.map(({ key, name }) => ({ value: key, label: name }))}
        error={form.errorOf("provider")}
        allowDeselect={false}
      />
      <TextInput
        {...form.field("transmitter")}
        {...code}
        label={t("signal-streams.fields.transmitter")}
        description={t("signal-streams.fields.transmitterHelp")}
      />
      <Choice
        label={t("signal-streams.fields.delivery")}
        value={values.delivery}
        options={(["push", "poll"] as const).map((value) => ({
          value,
          label: t(`signal-streams.delivery.${value}`),
        }))}
        help={t(`signal-streams.deliveryHelp.${values.delivery}`)}
        onChange={(delivery) => set({ delivery })}
      />
      <TokenField form={form} help={t("signal-streams.fields.tokenHelp")} />
      <ExistingStream form={form} />
      <RareFields form={form} />
    </>
  );
}

/** What a stream needs that was created at the transmitter; open when one has it, or when something is wrong with it. */
function ExistingStream({ form }: { readonly form: Edit<StreamValues> }) {
  const t = useText();
  const { streamId, audience } = form.values;
  const wrong = form.errorOf("streamId") ?? form.errorOf("audience");
  const open = streamId !== "" || audience !== "" || wrong !== undefined;
  return (
    <details className="more-fields" open={open ? true : undefined}>
      <summary>{t("signal-streams.existing")}</summary>
      <div className="edit-fields">
        <TextInput
          {...form.field("streamId")}
          {...code}
          label={t("signal-streams.fields.streamId")}
          description={t("signal-streams.fields.streamIdHelp")}
        />
        <TextInput
          {...form.field("audience")}
          {...code}
          label={t("signal-streams.fields.audience")}
          description={t("signal-streams.fields.audienceHelp")}
        />
      </div>
    </details>
  );
}

/** The fields of a stream that exists. */
export function StreamFields({
  form,
  hasToken,
}: {
  readonly form: Edit<StreamValues>;
  readonly hasToken: boolean;
}) {
  const t = useText();
  const { values, set } = form;
  return (
    <>
      <TextInput
        {...form.field("name")}
        label={t("signal-streams.fields.name")}
        description={t("signal-streams.fields.nameHelp")}
      />
      <TokenField
        form={form}
        help={hasToken ? t("signal-streams.fields.tokenKept") : t("signal-streams.fields.tokenHelp")}
        placeholder={hasToken ? "••••••••••••" : undefined}
      />
      <RareFields form={form} />
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t("signal-streams.fields.enabled")}
        description={t("signal-streams.fields.enabledHelp")}
        error={form.errorOf("enabled")}
      />
    </>
  );
}

function TokenField({
  form,
  help,
  placeholder,
}: {
  readonly form: Edit<StreamValues>;
  readonly help: string;
  readonly placeholder?: string | undefined;
}) {
  const t = useText();
  return (
    <PasswordInput
      {...form.field("token")}
      label={t("signal-streams.fields.token")}
      description={help}
      autoComplete="new-password"
      {...(placeholder !== undefined && { placeholder })}
    />
  );
}

function RareFields({ form }: { readonly form: Edit<StreamValues> }) {
  const t = useText();
  const { values, set } = form;
  return (
    <details className="more-fields">
      <summary>{t("signal-streams.more")}</summary>
      <div className="edit-fields">
        <Switch
          checked={values.opaqueSubjects === "sub"}
          onChange={(event) => set({ opaqueSubjects: event.currentTarget.checked ? "sub" : "ignored" })}
          label={t("signal-streams.fields.opaqueSubjects")}
          description={t("signal-streams.fields.opaqueSubjectsHelp")}
        />
        <NumberInput
          label={t("signal-streams.fields.maxAgeSeconds")}
          description={t("signal-streams.fields.maxAgeSecondsHelp")}
          value={Math.round(values.maxAgeSeconds / hourSeconds)}
          onChange={(hours) => set({ maxAgeSeconds: Number(hours) * hourSeconds })}
          min={1}
          max={720}
          error={form.errorOf("maxAgeSeconds")}
        />
      </div>
    </details>
  );
}
