import { ActionIcon, Button, Checkbox, Group, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { Icon } from "../../parts/icon";
import type { Edit } from "../../parts/use-edit";
import { useText } from "../../text/text";
import { actions, emptyRule, methods, type RuleRow, type RulesValues } from "./rule-rows";

const code = { classNames: { input: "mono" }, autoComplete: "off", spellCheck: false };

/** The rules in their order, each in a box, and what happens to every other call. */
export function RuleFields({
  form,
  withScopes,
}: {
  readonly form: Edit<RulesValues>;
  /** Services have scopes; requests through a connector have none of this server. */
  readonly withScopes: boolean;
}) {
  const t = useText();
  const { rules, otherwise } = form.values;
  const setRules = (next: readonly RuleRow[]) => {
    const needsDefault = next.length > 0 && otherwise === "none";
    form.set({ rules: next, ...(needsDefault && { otherwise: "allow" }) });
  };
  const change = (index: number, changes: Partial<RuleRow>) =>
    setRules(rules.map((rule, at) => (at === index ? { ...rule, ...changes } : rule)));
  return (
    <>
      {rules.map((rule, index) => (
        <RuleBox
          key={index}
          rule={rule}
          number={index + 1}
          withScopes={withScopes}
          errorOf={(name) => form.errorOf(name === "" ? `rules.${index}` : `rules.${index}.${name}`)}
          onChange={(changes) => change(index, changes)}
          onRemove={() => setRules(rules.filter((_, at) => at !== index))}
          onRaise={
            index === 0 ? undefined : () => setRules(rules.toSpliced(index, 1).toSpliced(index - 1, 0, rule))
          }
        />
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() => setRules([...rules, emptyRule])}
      >
        {t("rules.add")}
      </Button>
      <NativeSelect
        label={t("rules.fields.otherwise")}
        description={t("rules.fields.otherwiseHelp")}
        value={otherwise}
        error={form.errorOf(`rules.${rules.length}`)}
        onChange={(event) => form.set({ otherwise: event.currentTarget.value as RulesValues["otherwise"] })}
        data={[
          ...(rules.length === 0 ? [{ value: "none", label: t("rules.otherwise.none") }] : []),
          ...(["allow", "ask", "refuse"] as const).map((value) => ({
            value,
            label: t(`rules.otherwise.${value}`),
          })),
        ]}
      />
      {withScopes && (otherwise === "ask" || otherwise === "refuse") && (
        <TextInput
          {...code}
          {...form.field("otherwiseScopes")}
          label={t("rules.fields.scopes")}
          description={t("rules.fields.scopesHelp")}
        />
      )}
    </>
  );
}

const fieldNames = ["methods", "path", "when", "scopes", "limit", "ask", "refuse", "say"] as const;

interface RuleBoxProps {
  readonly rule: RuleRow;
  readonly number: number;
  readonly withScopes: boolean;
  /** What the server said about a member; an empty name: about the rule. */
  readonly errorOf: (name: string) => string | undefined;
  readonly onChange: (changes: Partial<RuleRow>) => void;
  readonly onRemove: () => void;
  readonly onRaise: (() => void) | undefined;
}

function RuleBox({ rule, number, withScopes, errorOf, onChange, onRemove, onRaise }: RuleBoxProps) {
  const t = useText();
  const text = (name: "path" | "when" | "scopes" | "say") => ({
    label: t(`rules.fields.${name}`),
    description: t(`rules.fields.${name}Help`),
    value: rule[name],
    error: errorOf(name),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
  });
  // What is wrong with a member stands beside it.
  const isBeside = fieldNames.some((name) => errorOf(name) !== undefined);
  const whole = isBeside ? undefined : errorOf("");
  return (
    <fieldset className="note-box">
      <legend>{t("rules.number", { number })}</legend>
      <Checkbox.Group
        label={t("rules.fields.methods")}
        description={t("rules.fields.methodsHelp")}
        value={[...rule.methods]}
        error={errorOf("methods")}
        onChange={(next) => onChange({ methods: methods.filter((method) => next.includes(method)) })}
      >
        <Group gap="md" mt="xs">
          {methods.map((method) => (
            <Checkbox key={method} value={method} label={method} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput {...code} {...text("path")} />
      <Textarea {...code} {...text("when")} autosize />
      <RuleAction rule={rule} errorOf={errorOf} onChange={onChange} />
      {withScopes && rule.action !== "allow" && <TextInput {...code} {...text("scopes")} />}
      {rule.action !== "allow" && rule.action !== "refuse" && <TextInput {...text("say")} />}
      {whole !== undefined && <p className="problem">{whole}</p>}
      <Group gap="xs" justify="flex-end">
        {onRaise !== undefined && (
          <Button variant="subtle" size="compact-sm" onClick={onRaise}>
            {t("rules.raise", { number })}
          </Button>
        )}
        <ActionIcon size="sm" aria-label={t("rules.remove", { number })} onClick={onRemove}>
          <Icon name="close" size={12} />
        </ActionIcon>
      </Group>
    </fieldset>
  );
}

/** What the rule does, and the members that this needs. */
function RuleAction({ rule, errorOf, onChange }: Pick<RuleBoxProps, "rule" | "errorOf" | "onChange">) {
  const t = useText();
  const { action, beyond } = rule;
  const asks = action === "ask" || (action === "limit" && beyond === "ask");
  const refuses = action === "refuse" || (action === "limit" && beyond === "refuse");
  return (
    <>
      <NativeSelect
        label={t("rules.fields.action")}
        value={action}
        onChange={(event) => onChange({ action: event.currentTarget.value as RuleRow["action"] })}
        data={actions.map((value) => ({ value, label: t(`rules.actions.${value}`) }))}
      />
      {action === "limit" && (
        <Group gap="md" align="flex-start" grow>
          <TextInput
            type="number"
            min={1}
            label={t("rules.fields.calls")}
            value={rule.calls}
            error={errorOf("limit")}
            onChange={(event) => onChange({ calls: event.currentTarget.value })}
          />
          <NativeSelect
            label={t("rules.fields.per")}
            value={rule.per}
            onChange={(event) => onChange({ per: event.currentTarget.value as RuleRow["per"] })}
            data={(["hour", "day"] as const).map((value) => ({ value, label: t(`rules.per.${value}`) }))}
          />
          <NativeSelect
            label={t("rules.fields.beyond")}
            value={beyond}
            onChange={(event) => onChange({ beyond: event.currentTarget.value as RuleRow["beyond"] })}
            data={(["ask", "refuse"] as const).map((value) => ({
              value,
              label: t(`rules.actions.${value}`),
            }))}
          />
        </Group>
      )}
      {asks && (
        <TextInput
          {...code}
          label={t("rules.fields.approver")}
          description={t("rules.fields.approverHelp")}
          value={rule.approver}
          error={errorOf("ask")}
          onChange={(event) => onChange({ approver: event.currentTarget.value })}
        />
      )}
      {refuses && (
        <TextInput
          label={t("rules.fields.sentence")}
          description={t("rules.fields.sentenceHelp")}
          value={rule.sentence}
          error={errorOf("refuse")}
          onChange={(event) => onChange({ sentence: event.currentTarget.value })}
        />
      )}
    </>
  );
}
