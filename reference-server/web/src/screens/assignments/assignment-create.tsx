import { SegmentedControl } from "@mantine/core";
import { useEffect } from "react";
import { ApiError } from "../../api/api-error";
import { useForget, useItem } from "../../api/queries";
import { request } from "../../api/request";
import { Link, useGo, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { forGood } from "../../parts/ending";
import { EndingPicker } from "../../parts/ending-picker";
import { Autocomplete, Select } from "../../parts/fields";
import { Page } from "../../parts/page";
import { EmailsPicker } from "../../parts/email-pickers";
import { ScopesPicker } from "../../parts/pickers";
import { useSuggestions } from "../../parts/suggestions";
import { type Edit, useEdit } from "../../parts/use-edit";
import { type AssignmentValues, findMissing, placeProblem, toBulk } from "./assignment-values";

/** Gives scopes to people or to a group, after showing what that changes. */
export default function AssignmentCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const [search] = useSearch();
  const [provider = "", ...group] = (search.get("group") ?? "").split(":");
  const form = useEdit<AssignmentValues, never>({
    initial: {
      kind: provider === "" ? "people" : "group",
      emails: search.getAll("email"),
      provider,
      group: group.join(":"),
      scopes: search.getAll("scope"),
      ending: forGood,
    },
    previews: "beside",
    send: async (values, { preview }) => {
      const missing = findMissing(values).map((path) => ({
        path,
        message: t(`assignments.missing.${path}`),
      }));
      if (missing.length > 0) {
        throw new ApiError({ status: 400, code: "invalid_request", description: "", fields: missing });
      }
      const bulk = toBulk(values, Date.now());
      try {
        const query = { preview: preview || undefined };
        return await request("/assignments/bulk", { method: "POST", body: bulk, query });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { status, code, description } = error;
        const fields = error.fields.map((field) => placeProblem(field, bulk));
        throw new ApiError({ status, code, description, fields });
      }
    },
    onSaved: async () => {
      await forget("/assignments", "/scopes", "/users", "/explain");
      go("/assignments", { replace: true });
    },
  });
  const { values, set } = form;
  return (
    <Page
      title={t("assignments.newTitle")}
      parent={{ to: "/assignments", title: t("assignments.title") }}
      narrow
    >
      <EditForm
        route="POST /assignments/bulk"
        form={form}
        submitLabel={t("assignments.save")}
        cancelTo="/assignments"
        labels="assignments"
        creates
      >
        <div className="segmented" role="group" aria-label={t("assignments.to")}>
          <SegmentedControl
            value={values.kind}
            onChange={(kind) => set({ kind: kind === "group" ? "group" : "people" })}
            data={[
              { value: "people", label: t("assignments.toPeople") },
              { value: "group", label: t("assignments.toGroup") },
            ]}
            aria-label={t("assignments.to")}
          />
        </div>
        {values.kind === "people" ? (
          <EmailsPicker
            label={t("assignments.emails")}
            description={t("assignments.emailsHelp")}
            value={values.emails}
            onChange={(emails) => set({ emails })}
            error={form.errorOf("emails")}
            autoFocus
          />
        ) : (
          <GroupFields form={form} />
        )}
        <ScopesPicker
          label={t("assignments.scopes")}
          description={t("assignments.scopesHelp")}
          value={values.scopes}
          onChange={(scopes) => set({ scopes })}
          error={form.errorOf("scopes")}
        />
        <EndingPicker
          value={values.ending}
          onChange={(ending) => set({ ending })}
          error={form.errorOf("expiresAt")}
        />
      </EditForm>
    </Page>
  );
}

interface NamedProvider {
  readonly key: string;
  readonly name: string;
}

function GroupFields({ form }: { readonly form: Edit<AssignmentValues> }) {
  const t = useText();
  const { values, set } = form;
  const { data } = useItem<{ readonly items: readonly NamedProvider[] }>("/group-providers", {
    query: { limit: 200 },
  });
  const { items: groups } = useSuggestions<{ readonly key: string }>("/groups", values.group, {
    provider: values.provider === "" ? undefined : values.provider,
  });
  const only = data?.items.length === 1 ? data.items[0]?.key : undefined;
  useEffect(() => {
    // Where there is nothing to choose, nobody has to.
    if (only !== undefined && values.provider === "") set({ provider: only });
  }, [only, values.provider, set]);
  if (data?.items.length === 0) {
    return (
      <p>
        {t("assignments.noProviders", {
          link: (inside) => <Link to="/group-providers">{inside}</Link>,
        })}
      </p>
    );
  }
  return (
    <>
      <Select
        label={t("assignments.provider")}
        data={(data?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))}
        value={values.provider === "" ? null : values.provider}
        onChange={(provider) => set({ provider: provider ?? "" })}
        error={form.errorOf("provider")}
      />
      <Autocomplete
        label={t("assignments.group")}
        description={t("assignments.groupHelp")}
        data={[...new Set(groups.map(({ key }) => key))]}
        value={values.group}
        onChange={(group) => set({ group })}
        error={form.errorOf("group")}
        filter={({ options }) => options}
        classNames={{ input: "mono" }}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}
