import type { User } from "@admin/people";
import type { Resource } from "@admin/resources";
import type { Scope } from "@admin/scopes";
import { Autocomplete, MultiSelect, Select, TagsInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { type ListPage, useItem } from "../api/queries";
import { type Query, request } from "../api/request";
import { useText } from "../text/text";
import { splitAddresses } from "./split-addresses";

/** The first matches of a list of the API, for fields that suggest. Keeps the last ones while the next ones load. */
export function useSuggestions<T>(list: string, text: string, filters: Query = {}): ListPage<T> {
  const [q] = useDebouncedValue(text.trim(), 150);
  const query = { ...filters, q, limit: 20 };
  const { data } = useQuery({
    queryKey: [list, query, "suggestions"],
    queryFn: ({ signal }) => request<ListPage<T>>(list, { query, signal }),
    placeholderData: (previous) => previous,
    retry: false,
  });
  return data ?? { items: [], nextCursor: null };
}

interface FieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
}

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

/** One address: of somebody who is known, or any other. */
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
  // Opened by typing: the field itself would wait for an arrow key.
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

function usePeople(text: string): ReadonlyMap<string, string> {
  const { items: found } = useSuggestions<User>("/users", text);
  return new Map(found.flatMap(({ email, name }) => (email === null ? [] : [[email, name ?? ""]])));
}

function Suggestion({
  title,
  detail,
  code = false,
}: {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly code?: boolean;
}) {
  return (
    <span className="suggestion">
      {code ? <code>{title}</code> : <span>{title}</span>}
      {detail !== undefined && detail !== "" && <span className="muted">{detail}</span>}
    </span>
  );
}
