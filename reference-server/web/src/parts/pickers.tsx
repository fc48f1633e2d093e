import type { Resource } from "@admin/resources";
import type { Scope } from "@admin/scopes";
import { type KeyboardEvent, useState } from "react";
import { useItem } from "../api/queries";
import { useText } from "../text/text";
import { MultiSelect, Select } from "./fields";
import { type FieldProps, Suggestion } from "./suggestion";
import { onlyFound, useSuggestions } from "./suggestions";

/** In a toolbar, where the placeholder says what the label would. */
type UnlabelledProps = Omit<FieldProps, "label"> & { readonly "aria-label": string };

/** Several scopes of this installation. */
export function ScopesPicker({
  value,
  onChange,
  ...field
}: FieldProps & { readonly value: readonly string[]; readonly onChange: (value: string[]) => void }) {
  const [text, setText] = useState("");
  const { items: found, waiting } = useSuggestions<Scope>("/scopes", text);
  const t = useText();
  const descriptions = new Map(found.map(({ key, description }) => [key, description]));
  /** Enter takes the only scope that fits, and never sends a form in which somebody still types. */
  const takeTheOnlyOne = (event: KeyboardEvent<HTMLInputElement>) => {
    const typed = text.trim();
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || typed === "") return;
    event.preventDefault();
    if (isAtSuggestion(event.currentTarget)) return;
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
      nothingFoundMessage={t(waiting ? "parts.picker.searching" : "parts.picker.nothing")}
      hidePickedOptions
      classNames={{ pill: "mono" }}
      renderOption={({ option }) => (
        <Suggestion title={option.value} detail={descriptions.get(option.value)} code />
      )}
    />
  );
}

/** Whether the arrow keys have reached a suggestion, which Enter then takes; what the field names may be gone. */
function isAtSuggestion(input: HTMLInputElement): boolean {
  const id = input.getAttribute("aria-activedescendant");
  return id !== null && document.getElementById(id)?.dataset["comboboxSelected"] === "true";
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
  const typed = text === value ? "" : text;
  const { items: found, waiting } = useSuggestions<Scope>("/scopes", typed);
  const keys = found.map(({ key }) => key);
  const t = useText();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={onChange}
      data={[...new Set([...(value === null ? [] : [value]), ...keys])]}
      searchable
      clearable
      allowDeselect={false}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => (typed === "" ? options : onlyFound(options, keys))}
      nothingFoundMessage={t(waiting ? "parts.picker.searching" : "parts.picker.nothing")}
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
  const { data: chosen, isPending } = useItem<Resource>(`/resources/${value ?? ""}`, {
    enabled: value !== null,
  });
  const typed = text === chosen?.name ? "" : text;
  const { items: found, waiting } = useSuggestions<Resource>("/resources", typed);
  const t = useText();
  const options = new Map([...(chosen ? [chosen] : []), ...found].map(({ key, name }) => [key, name]));
  // Until its name is there, the field keeps the one that was chosen.
  if (value !== null && !isPending && !options.has(value)) options.set(value, value);
  const keys = found.map(({ key }) => key);
  return (
    <Select
      {...field}
      value={value}
      onChange={onChange}
      data={[...options].map(([key, name]) => ({ value: key, label: name }))}
      searchable
      clearable
      allowDeselect={false}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => (typed === "" ? all : onlyFound(all, keys))}
      nothingFoundMessage={t(waiting ? "parts.picker.searching" : "parts.picker.nothing")}
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
      renderOption={({ option }) => <Suggestion title={option.label} detail={option.value} />}
    />
  );
}
