import type { Resource } from "@admin/resources";
import type { Scope } from "@admin/scopes";
import { type KeyboardEvent, useState } from "react";
import { useItem } from "../api/queries";
import { useText } from "../text/text";
import { MultiSelect, Select } from "./fields";
import { type FieldProps, Suggestion } from "./suggestion";
import { useSuggestions } from "./suggestions";

/** In a toolbar, where the placeholder says what the label would. */
type UnlabelledProps = Omit<FieldProps, "label"> & { readonly "aria-label": string };

/** Several scopes of this installation. */
export function ScopesPicker({
  value,
  onChange,
  ...field
}: FieldProps & { readonly value: readonly string[]; readonly onChange: (value: string[]) => void }) {
  const [text, setText] = useState("");
  const { items: found } = useSuggestions<Scope>("/scopes", text);
  const t = useText();
  const descriptions = new Map(found.map(({ key, description }) => [key, description]));
  /** Enter takes the only scope that fits, and never sends a form in which somebody still types. */
  const takeTheOnlyOne = (event: KeyboardEvent<HTMLInputElement>) => {
    const typed = text.trim();
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || typed === "") return;
    event.preventDefault();
    if (event.currentTarget.hasAttribute("aria-activedescendant")) return;
    const fitting = found.filter(({ key }) => key.includes(typed) && !value.includes(key));
    const [only] = fitting.length === 1 ? fitting : fitting.filter(({ key }) => key === typed);
    if (only === undefined) return;
    onChange([...value, only.key]);
    setText("");
  };
  return (
    <MultiSelect
      {...field}
      value={[...value]}
      onChange={onChange}
      data={[...new Set([...value, ...found.map(({ key }) => key)])]}
      searchable
      searchValue={text}
      onSearchChange={setText}
      onKeyDown={takeTheOnlyOne}
      filter={({ options }) => options}
      nothingFoundMessage={t("parts.picker.nothing")}
      hidePickedOptions
      classNames={{ pill: "mono" }}
      renderOption={({ option }) => (
        <Suggestion title={option.value} detail={descriptions.get(option.value)} code />
      )}
    />
  );
}

/** One scope, or none: for filters. */
export function ScopeFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}) {
  const [text, setText] = useState("");
  const { items: found } = useSuggestions<Scope>("/scopes", text === value ? "" : text);
  const t = useText();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={onChange}
      data={[...new Set([...(value === null ? [] : [value]), ...found.map(({ key }) => key)])]}
      searchable
      clearable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage={t("parts.picker.nothing")}
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
      {...(value !== null && { classNames: { input: "mono" } })}
    />
  );
}

/** One registered service, or none. */
export function ResourcePicker({
  value,
  onChange,
  ...field
}: (FieldProps | UnlabelledProps) & {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}) {
  const [text, setText] = useState("");
  const { data: chosen } = useItem<Resource>(`/resources/${value ?? ""}`, { enabled: value !== null });
  const { items: found } = useSuggestions<Resource>("/resources", text === chosen?.name ? "" : text);
  const t = useText();
  const options = new Map([...(chosen ? [chosen] : []), ...found].map(({ key, name }) => [key, name]));
  if (value !== null && !options.has(value)) options.set(value, value);
  return (
    <Select
      {...field}
      value={value}
      onChange={onChange}
      data={[...options].map(([key, name]) => ({ value: key, label: name }))}
      searchable
      clearable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => all}
      nothingFoundMessage={t("parts.picker.nothing")}
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
      renderOption={({ option }) => <Suggestion title={option.label} detail={option.value} />}
    />
  );
}
