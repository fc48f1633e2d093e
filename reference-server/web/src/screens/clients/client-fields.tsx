import { Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../../text/text";
import { Choice } from "../../parts/choice";
import { LinesInput } from "../../parts/lines-input";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";
import { type ClientValues, clientTypes, hasKeys } from "./client-values";
import { KeysInput } from "./keys-input";
import type { KeyFault } from "./read-keys";

/** Returns a function that says in words why a pasted text is no key. */
export function useKeyFault(): (fault: KeyFault) => string {
  const t = useText();
  return (fault) =>
    fault.reason === "twice"
      ? t("clients.key.twice", { kid: fault.kid })
      : t(`clients.key.faults.${fault.reason}`);
}

/** The fields of a client of the chosen type; type and id only until it exists. */
export function ClientFields({
  form,
  storedKeys = [],
  madeKey,
  creates = false,
}: {
  readonly form: Edit<ClientValues>;
  readonly storedKeys?: readonly string[];
  /** In place of a field for keys. */
  readonly madeKey?: ReactNode;
  readonly creates?: boolean;
}) {
  const t = useText();
  const { values, set } = form;
  const { type } = values;
  const isMachine = type === "machine";
  return (
    <>
      {creates && (
        <Choice
          label={t("clients.type")}
          value={type}
          options={clientTypes.map((one) => ({ value: one, label: t(`clients.one.${one}`) }))}
          help={t(`clients.typeHelp.${type}`)}
          onChange={(next) => set({ type: next })}
        />
      )}
      <TextInput
        {...form.field("name")}
        label={t("clients.fields.name")}
        description={isMachine ? undefined : t("clients.fields.nameHelp")}
      />
      {creates && (
        <TextInput
          {...form.field("id")}
          label={t("clients.fields.id")}
          description={t("clients.fields.idHelp")}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {isMachine ? (
        <ScopesPicker
          label={t("clients.fields.scopes")}
          description={t("clients.fields.scopesHelp")}
          value={values.scopes}
          onChange={(scopes) => set({ scopes })}
          error={form.errorOf("scopes")}
        />
      ) : (
        <LinesInput
          label={t("clients.fields.redirectUris")}
          description={t("clients.fields.redirectUrisHelp")}
          addLabel={t("clients.fields.addRedirectUri")}
          value={values.redirectUris}
          onChange={(redirectUris) => set({ redirectUris })}
          error={form.errorOf("redirectUris")}
          errorOf={(index) => form.errorOf(`redirectUris.${index}`)}
        />
      )}
      {hasKeys(type) && madeKey}
      {hasKeys(type) && madeKey === undefined && (
        <KeysInput
          value={values.keys}
          stored={storedKeys}
          onChange={(keys) => set({ keys })}
          error={form.errorOf("keys")}
          errorOf={(index) => form.errorOf(`keys.${index}`)}
        />
      )}
      {!isMachine && (
        <Switch
          checked={values.dpopBound}
          onChange={(event) => set({ dpopBound: event.currentTarget.checked })}
          label={t("clients.fields.dpopBound")}
          description={t("clients.fields.dpopBoundHelp")}
        />
      )}
      {!isMachine && <CeilingFields form={form} />}
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t("clients.fields.enabled")}
        description={t("clients.fields.enabledHelp")}
      />
    </>
  );
}

/** The most that an app is ever given, whoever uses it. */
export function CeilingFields<Values extends Pick<ClientValues, "limited" | "ceiling">>({
  form: { values, set, errorOf },
}: {
  readonly form: Edit<Values>;
}) {
  const t = useText();
  const change = (limits: Partial<Pick<ClientValues, "limited" | "ceiling">>) =>
    set(limits as Partial<Values>);
  return (
    <>
      <Switch
        checked={values.limited}
        onChange={(event) => change({ limited: event.currentTarget.checked })}
        label={t("clients.fields.limited")}
        description={t("clients.fields.limitedHelp")}
      />
      {values.limited && (
        <ScopesPicker
          label={t("clients.fields.ceiling")}
          description={t("clients.fields.ceilingHelp")}
          value={values.ceiling}
          onChange={(ceiling) => change({ ceiling })}
          error={errorOf("ceiling")}
        />
      )}
    </>
  );
}
