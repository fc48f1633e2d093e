import type { Resource } from "@admin/resources";
import type { Scope } from "@admin/scopes";
import { type KeyboardEvent, useState } from "react";
import { useText } from "../text/text";
import { MultiSelect } from "./fields";
import { ObjectPicker, type PickerProps, type UnlabelledProps } from "./object-picker";
import { type FieldProps, Suggestion } from "./suggestion";
import { useSuggestions } from "./suggestions";

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
  /** Enter takes the only scope that fits, and does not submit the form while text is being typed. */
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

/** Whether the arrow keys have reached a suggestion, which Enter then takes. The element that the field names may be gone. */
function isAtSuggestion(input: HTMLInputElement): boolean {
  const id = input.getAttribute("aria-activedescendant");
  return id !== null && document.getElementById(id)?.dataset["comboboxSelected"] === "true";
}

/** One scope, or none: for filters. */
export function ScopeFilter({ label, ...picker }: PickerProps & { readonly label: string }) {
  return (
    <ObjectPicker
      {...picker}
      aria-label={label}
      placeholder={label}
      list="scopes"
      toOption={({ key }: Scope) => ({ value: key, label: key })}
      hasNames={false}
    />
  );
}

/** One registered service, or none. */
export function ResourcePicker(props: PickerProps & (FieldProps | UnlabelledProps)) {
  return (
    <ObjectPicker
      {...props}
      list="resources"
      toOption={({ key, name }: Resource) => ({ value: key, label: name })}
      showsKeys
    />
  );
}
