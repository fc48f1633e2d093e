import type { IdentityProvider, IdentityProviderList } from "@admin/identity-providers";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { request } from "../../api/request";
import { screenPath, useGo, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Copyable } from "../../parts/copyable";
import { EditForm } from "../../parts/edit-form";
import { Select } from "../../parts/fields";
import { Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { nextCallbackUrl } from "./next-callback-url";
import { fillIn, type PresetKey, presetKeys, presets } from "./presets";
import { ProviderCheck } from "./provider-check";
import { ProviderFields } from "./provider-fields";
import { beginSignInTest } from "./use-sign-in-test";
import { emptyProvider, type ProviderValues, toNewProvider } from "./provider-values";

export default function ProviderCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const [preset, setPreset] = useState<PresetKey>("other");
  const form = useEdit<ProviderValues, IdentityProvider>({
    initial: emptyProvider,
    send: (values) => request("/identity-providers", { method: "POST", body: toNewProvider(values) }),
    onSaved: async () => {
      await forget("/identity-providers");
      await leaveForTest(form.values.key, (to) => go(to, { replace: true }));
    },
  });
  const choose = (next: PresetKey) => {
    setPreset(next);
    form.set(fillIn(form.values, preset, next));
  };
  return (
    <Page
      title={t("providers.createTitle")}
      parent={{ to: "/identity-providers", title: t("providers.title") }}
      narrow
    >
      <EditForm
        route="POST /identity-providers"
        form={form}
        submitLabel={t("providers.createSubmit")}
        cancelTo="/identity-providers"
        labels="providers.fields"
        secrets={["clientSecret"]}
        creates
      >
        <Select
          label={t("providers.preset")}
          value={preset}
          onChange={(next) => choose(presetKeys.find((key) => key === next) ?? "other")}
          data={presetKeys.map((key) => ({
            value: key,
            label: presets[key].name ?? t("providers.presets.other"),
          }))}
          allowDeselect={false}
        />
        <PresetHelp preset={preset} providerKey={form.values.key} />
        <ProviderFields form={form} creates />
      </EditForm>
      <ProviderCheck values={form.values} />
    </Page>
  );
}

/** Goes to the provider at once; when that cannot be, to its page here, which says why. */
async function leaveForTest(key: string, go: (to: string) => void): Promise<void> {
  const page = screenPath("identity-providers", key);
  try {
    const { id, authorizationUrl } = await beginSignInTest(key);
    if (authorizationUrl === null) return go(withQuery(page, { test: id }));
    // So that the way back in the history leads to the provider that was added, and not to an empty form.
    go(page);
    location.assign(authorizationUrl);
  } catch {
    go(page);
  }
}

/** What to do at the provider: in words, with the vendor's page and the address to enter there. */
function PresetHelp({ preset, providerKey }: { readonly preset: PresetKey; readonly providerKey: string }) {
  const t = useText();
  const { documentation } = presets[preset];
  const { data } = useItem<IdentityProviderList>("/identity-providers", { query: { limit: 100 } });
  const callbackUrl = data && nextCallbackUrl(data.items, providerKey);
  return (
    <div className="note-box" aria-live="polite">
      <p>{t(`providers.notes.${preset}`)}</p>
      {documentation !== undefined && (
        <p>
          <a href={documentation} target="_blank" rel="noreferrer">
            {t("providers.documentation")}
          </a>
        </p>
      )}
      {callbackUrl !== undefined && (
        <>
          <p>{t("providers.callback")}</p>
          <Copyable>{callbackUrl}</Copyable>
        </>
      )}
    </div>
  );
}
