import type { User } from "@admin/people";
import { useState } from "react";
import { Autocomplete, TagsInput } from "./fields";
import { splitAddresses } from "./split-addresses";
import { type FieldProps, Suggestion } from "./suggestion";
import { useSuggestions } from "./suggestions";

/** One address, with those of known people as suggestions. */
export function EmailPicker({
  value,
  onChange,
  ...field
}: FieldProps & { readonly value: string; readonly onChange: (value: string) => void }) {
  const people = usePeople(value);
  return (
    <Autocomplete
      {...field}
      value={value}
      onChange={onChange}
      data={[...people.keys()]}
      filter={({ options }) => options}
      openOnFocus={false}
      autoComplete="off"
      spellCheck={false}
      renderOption={({ option }) => <Suggestion title={option.value} detail={people.get(option.value)} />}
    />
  );
}

/** Several addresses; a pasted list becomes one entry per address. */
export function EmailsPicker({
  value,
  onChange,
  ...field
}: FieldProps & { readonly value: readonly string[]; readonly onChange: (value: string[]) => void }) {
  const [text, setText] = useState("");
  // Opened by typing; the field itself opens only with an arrow key.
  const [open, setOpen] = useState(false);
  const people = usePeople(text);
  return (
    <TagsInput
      {...field}
      value={[...value]}
      onChange={(next) => onChange(splitAddresses(next))}
      data={[...people.keys()]}
      searchValue={text}
      onSearchChange={(typed) => {
        setText(typed);
        setOpen(typed.trim() !== "");
      }}
      dropdownOpened={open}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      filter={({ options }) => options}
      splitChars={[",", ";", " ", "\n"]}
      acceptValueOnBlur
      openOnFocus={false}
      renderOption={({ option }) => <Suggestion title={option.value} detail={people.get(option.value)} />}
    />
  );
}

function usePeople(text: string): ReadonlyMap<string, string> {
  const { items: found } = useSuggestions<User>("/users", text);
  return new Map(found.flatMap(({ email, name }) => (email === null ? [] : [[email, name ?? ""]])));
}
