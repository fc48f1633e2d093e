import type { RuleTrial } from "@admin/rules";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { EditForm } from "../../parts/edit-form";
import { ActionButton } from "../../parts/if-may";
import { Section } from "../../parts/page";
import { Problem, useAction } from "../../parts/use-action";
import { useEdit } from "../../parts/use-edit";
import { useText } from "../../text/text";
import { RuleFields } from "./rule-fields";
import { type CallRule, fromRulesValues, type RulesValues, toRulesValues } from "./rule-rows";
import { TrialResult } from "./trial-result";

interface RuledObject {
  readonly key: string;
  readonly version: number;
  readonly rules: readonly CallRule[];
}

/** The rules for calls of agents at a service or through a connector, with a trial of what is in the form. */
export function RulesSection({
  list,
  object,
}: {
  readonly list: "resources" | "connectors";
  readonly object: RuledObject;
}) {
  const t = useText();
  const forget = useForget();
  const path = apiPath(list, object.key);
  const form = useEdit<RulesValues, RuledObject>({
    initial: toRulesValues(object),
    version: object.version,
    undoable: true,
    send: (values, { version }) =>
      request(path, { method: "PATCH", body: { rules: fromRulesValues(values) }, version }),
    toValues: toRulesValues,
    onSaved: () => forget(`/${list}`),
  });
  const { run, problem, working } = useAction();
  const [trial, setTrial] = useState<RuleTrial>();
  const tryThem = () =>
    run(async () => {
      const body = { rules: fromRulesValues(form.values) };
      setTrial(await request<RuleTrial>(`${path}/rules/trials`, { method: "POST", body }));
    });
  return (
    <Section
      title={t("rules.title")}
      lead={t(list === "resources" ? "rules.leadService" : "rules.leadConnector")}
      actions={
        <ActionButton
          route={`POST /${list}/{key}/rules/trials`}
          variant="default"
          onClick={() => void tryThem()}
          loading={working}
        >
          {t("rules.trial.run")}
        </ActionButton>
      }
    >
      <Problem>{problem}</Problem>
      {trial !== undefined && <TrialResult trial={trial} />}
      <EditForm
        route={`PATCH /${list}/{key}`}
        form={form}
        submitLabel={t("rules.save")}
        labels="rules.fields"
      >
        <RuleFields form={form} withScopes={list === "resources"} />
      </EditForm>
    </Section>
  );
}
