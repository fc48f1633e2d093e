import { ActionIcon, Button, Checkbox, Input, TextInput } from "@mantine/core";
import { type ClipboardEvent, useId } from "react";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import type { Edit } from "../../parts/use-edit";
import { type ConnectorValues, emptyRow, newRows, type ScopeRow, splitScopes } from "./connector-values";

/** The scopes of the third party: a row each, with what people read, and whether they may leave it out. */
export function ScopeRows({ form }: { readonly form: Edit<ConnectorValues> }) {
  const t = useText();
  const id = useId();
  const rows = form.values.scopes;
  const setRows = (scopes: readonly ScopeRow[]) => form.set({ scopes });
  const change = (index: number, changes: Partial<ScopeRow>) =>
    setRows(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)));
  /** A pasted list becomes a row per scope. */
  const paste = (index: number, event: ClipboardEvent) => {
    const names = splitScopes(event.clipboardData.getData("text"));
    if (names.length < 2) return;
    event.preventDefault();
    const before = rows.slice(0, index);
    const after = rows.slice(index + 1);
    setRows([...before, ...newRows(names, [...before, ...after]), ...after]);
  };
  const inRows = rows.some((_, index) => form.errorOf(`scopes.${index}`) !== undefined);
  return (
    <fieldset className="lines" aria-describedby={`${id}-help`}>
      <legend>
        <Input.Label component="span">{t("connectors.fields.scopes")}</Input.Label>
      </legend>
      <Input.Description id={`${id}-help`}>{t("connectors.fields.scopesHelp")}</Input.Description>
      {rows.length === 0 ? (
        <p className="muted">{t("connectors.scopes.none")}</p>
      ) : (
        <table className="scope-rows">
          <thead>
            <tr>
              <th>{t("connectors.scopes.scope")}</th>
              <th>{t("connectors.scopes.required")}</th>
              <th>{t("connectors.scopes.byDefault")}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <Row
                key={index}
                row={row}
                number={index + 1}
                errorOf={(name) => form.errorOf(`scopes.${index}.${name}`)}
                onChange={(changes) => change(index, changes)}
                onPaste={(event) => paste(index, event)}
                onRemove={() => setRows(rows.filter((_, at) => at !== index))}
              />
            ))}
          </tbody>
        </table>
      )}
      {!inRows && form.errorOf("scopes") !== undefined && <Input.Error>{form.errorOf("scopes")}</Input.Error>}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() => setRows([...rows, emptyRow])}
      >
        {t("connectors.scopes.add")}
      </Button>
    </fieldset>
  );
}

function Row(props: {
  readonly row: ScopeRow;
  readonly number: number;
  readonly errorOf: (name: keyof ScopeRow) => string | undefined;
  readonly onChange: (changes: Partial<ScopeRow>) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onRemove: () => void;
}) {
  const { row, number, errorOf, onChange, onPaste, onRemove } = props;
  const t = useText();
  const name = row.scope.trim() === "" ? t("connectors.scopes.unnamed", { number }) : row.scope;
  return (
    <tr>
      <td className="scope-texts">
        <TextInput
          aria-label={t("connectors.scopes.nameOf", { number })}
          value={row.scope}
          onChange={(event) => onChange({ scope: event.currentTarget.value })}
          onPaste={onPaste}
          error={errorOf("scope")}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
        <TextInput
          aria-label={t("connectors.scopes.descriptionOf", { scope: name })}
          placeholder={t("connectors.scopes.description")}
          value={row.description}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
          error={errorOf("description")}
        />
      </td>
      <td className="scope-flag">
        <Checkbox
          aria-label={t("connectors.scopes.requiredOf", { scope: name })}
          label={<span className="narrow-only">{t("connectors.scopes.required")}</span>}
          checked={row.required}
          onChange={(event) => onChange({ required: event.currentTarget.checked })}
        />
      </td>
      <td className="scope-flag">
        <Checkbox
          aria-label={t("connectors.scopes.byDefaultOf", { scope: name })}
          label={<span className="narrow-only">{t("connectors.scopes.byDefault")}</span>}
          checked={row.required || row.byDefault}
          disabled={row.required}
          onChange={(event) => onChange({ byDefault: event.currentTarget.checked })}
        />
      </td>
      <td className="scope-remove">
        <ActionIcon
          size="sm"
          aria-label={t("connectors.scopes.removeOf", { scope: name })}
          onClick={onRemove}
        >
          <Icon name="close" size={12} />
        </ActionIcon>
      </td>
    </tr>
  );
}
