import type { Inspection, Resource } from "@admin/resources";
import { TextInput } from "@mantine/core";
import { type Impact, useForget } from "../../api/queries";
import { ApiError } from "../../api/api-error";
import { request } from "../../api/request";
import { screenPath, useGo } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Scope } from "../../parts/identifier";
import { Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { fromResourceValues, ResourceFields, type ResourceValues, toResourceValues } from "./resource-fields";

type Draft = ResourceValues & { readonly descriptions: Readonly<Record<string, string>> };

/** The form of a new service, filled in from its metadata; new scopes get a description. */
export function RegisterDraft(props: {
  readonly draft: NonNullable<Inspection["resource"]>;
  readonly unknownScopes: readonly string[];
}) {
  const { draft, unknownScopes } = props;
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const form = useEdit<Draft, Resource>({
    initial: {
      ...toResourceValues(draft),
      descriptions: Object.fromEntries(unknownScopes.map((key) => [key, suggestDescription(key)])),
    },
    previews: "beside",
    send: async ({ descriptions, ...values }, { preview }) => {
      if (preview) return await previewService(values, unknownScopes);
      const needed = unknownScopes.filter((key) => values.supportedScopes.includes(key));
      for (const key of needed) await createScope(key, descriptions[key] ?? "");
      return await request("/resources", { method: "POST", body: fromResourceValues(values) });
    },
    onSaved: async () => {
      await forget("/resources", "/scopes");
      go(screenPath("resources", form.values.key), { replace: true });
    },
  });
  const { descriptions, supportedScopes } = form.values;
  const described = unknownScopes.filter((key) => supportedScopes.includes(key));
  return (
    <Section title={t("resources.wizard.draft")} lead={t("resources.wizard.draftLead")}>
      <EditForm
        route="POST /resources"
        form={form}
        submitLabel={t("resources.wizard.save")}
        cancelTo="/resources"
        labels="resources.fields"
        creates
      >
        {described.length > 0 && (
          <fieldset className="lines">
            <legend>
              <strong>{t("resources.wizard.unknownScopes")}</strong>
            </legend>
            <p className="muted">{t("resources.wizard.unknownScopesLead")}</p>
            {described.map((key) => (
              <TextInput
                key={key}
                label={<Scope>{key}</Scope>}
                aria-label={t("resources.wizard.describeScope", { key })}
                placeholder={t("resources.wizard.describeScope", { key })}
                value={descriptions[key] ?? ""}
                error={form.errorOf(`scope ${key}`)}
                onChange={(event) =>
                  form.set({ descriptions: { ...descriptions, [key]: event.currentTarget.value } })
                }
              />
            ))}
          </fieldset>
        )}
        <ResourceFields form={form} withKey />
      </EditForm>
    </Section>
  );
}

/** Previews access with the existing scopes, because new scopes have no holders yet. */
async function previewService(values: ResourceValues, unknownScopes: readonly string[]) {
  const body = fromResourceValues(values);
  const supportedScopes = body.supportedScopes.filter((scope) => !unknownScopes.includes(scope));
  return await request<{ readonly impact: Impact }>("/resources", {
    method: "POST",
    body: { ...body, supportedScopes },
    query: { preview: true },
  });
}

/** Creates a scope; an existing one, perhaps from a failed attempt before, is fine. */
async function createScope(key: string, description: string): Promise<void> {
  try {
    await request("/scopes", { method: "POST", body: { key, description } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "already_exists") return;
    const fields = error.fields.map(({ message }) => ({ path: `scope ${key}`, message }));
    throw new ApiError({ status: error.status, code: error.code, description: error.description, fields });
  }
}

/** `contracts:read` → "Read contracts", as an editable suggestion. */
function suggestDescription(key: string): string {
  const [subject = "", verb = ""] = key.split(":");
  const words = `${verb} ${subject}`.replaceAll("-", " ").trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
