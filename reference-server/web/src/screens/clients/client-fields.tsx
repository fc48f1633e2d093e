import { Switch, TextInput } from "@mantine/core";
import { useMessages } from "../../messages/language";
import { Choice } from "../../parts/choice";
import { LinesInput } from "../../parts/lines-input";
import { ScopesPicker } from "../../parts/pickers";
import type { Edit } from "../../parts/use-edit";
import { type ClientValues, clientTypes, hasKeys } from "./client-values";
import { KeysInput } from "./keys-input";
import { messages } from "./messages";
import type { KeyFault } from "./read-keys";

/** The labels of every field, for conflicts. */
export function useClientLabels() {
  return useMessages(messages).fields;
}

/** Returns a function that says in words why a pasted text is no key. */
export function useKeyFault(): (fault: KeyFault) => string {
  const { faults } = useMessages(messages).key;
  return (fault) => (fault.reason === "twice" ? faults.twice(fault.kid) : faults[fault.reason]);
}

/** The fields of a client of the chosen type; type and id only until it exists. */
export function ClientFields({
  form,
  storedKeys = [],
  creates = false,
}: {
  readonly form: Edit<ClientValues>;
  readonly storedKeys?: readonly string[];
  readonly creates?: boolean;
}) {
  const { fields: t, ...texts } = useMessages(messages);
  const { values, set } = form;
  const { type } = values;
  const isMachine = type === "machine";
  return (
    <>
      {creates && (
        <Choice
          label={texts.type}
          value={type}
          options={clientTypes.map((one) => ({ value: one, label: texts.one[one] }))}
          help={texts.typeHelp[type]}
          onChange={(next) => set({ type: next })}
        />
      )}
      <TextInput {...form.field("name")} label={t.name} description={isMachine ? undefined : t.nameHelp} />
      {creates && (
        <TextInput
          {...form.field("id")}
          label={t.id}
          description={t.idHelp}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {isMachine ? (
        <ScopesPicker
          label={t.scopes}
          description={t.scopesHelp}
          value={values.scopes}
          onChange={(scopes) => set({ scopes })}
          error={form.errorOf("scopes")}
        />
      ) : (
        <LinesInput
          label={t.redirectUris}
          description={t.redirectUrisHelp}
          addLabel={t.addRedirectUri}
          value={values.redirectUris}
          onChange={(redirectUris) => set({ redirectUris })}
          error={form.errorOf("redirectUris")}
          errorOf={(index) => form.errorOf(`redirectUris.${index}`)}
        />
      )}
      {hasKeys(type) && (
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
          label={t.dpopBound}
          description={t.dpopBoundHelp}
        />
      )}
      <Switch
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
        label={t.enabled}
        description={t.enabledHelp}
      />
    </>
  );
}
