import { useState } from "react";
import { useItem } from "../api/queries";
import { apiPath } from "../api/request";
import { useText } from "../text/text";
import { Select } from "./fields";
import { type FieldProps, Suggestion } from "./suggestion";
import { onlyFound, useSuggestions } from "./suggestions";

export interface PickerOption {
  readonly value: string;
  readonly label: string;
}

/** In a toolbar, the placeholder takes the place of the label. */
export type UnlabelledProps = Omit<FieldProps, "label"> & { readonly "aria-label": string };

export interface PickerProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** One of many objects, found by typing, or none. */
export function ObjectPicker<T>({
  list,
  toOption,
  hasNames = true,
  showsKeys = false,
  fixed,
  clearLabel,
  value,
  onChange,
  ...field
}: (FieldProps | UnlabelledProps) &
  PickerProps & {
    /** Of the API, without a slash. */
    readonly list: string;
    readonly toOption: (item: T) => PickerOption;
    /** Whether objects have names, which are read from the API, or are shown by their keys. */
    readonly hasNames?: boolean;
    /** Shows the key of each suggestion beside its label. */
    readonly showsKeys?: boolean;
    /** An option besides those of the list. */
    readonly fixed?: PickerOption | undefined;
    readonly clearLabel?: string;
    readonly className?: string;
  }) {
  const t = useText();
  const [text, setText] = useState("");
  const isNamed = value !== null && value !== fixed?.value && hasNames;
  const { data, isPending } = useItem<T>(apiPath(list, value ?? ""), { enabled: isNamed });
  const chosen = data === undefined ? undefined : toOption(data);
  const byKey = value === null ? undefined : { value, label: value };
  const held = value === fixed?.value ? fixed : isNamed ? chosen : byKey;
  const typed = text === held?.label ? "" : text;
  const { items, waiting } = useSuggestions<T>(`/${list}`, typed);
  const suggested = items.map(toOption);
  if (fixed?.label.toLowerCase().includes(typed.trim().toLowerCase()) === true) suggested.unshift(fixed);
  // An object that cannot be read keeps its key; while it is read, nothing stands in for its name.
  const unnamed = isNamed && isPending ? undefined : byKey;
  const keys = suggested.map((option) => option.value);
  const options = new Map<string, PickerOption>();
  for (const option of [fixed, chosen, ...suggested, unnamed]) {
    if (option !== undefined && !options.has(option.value)) options.set(option.value, option);
  }
  return (
    <Select
      {...field}
      value={value}
      onChange={onChange}
      data={[...options.values()]}
      searchable
      clearable
      allowDeselect={false}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => (typed === "" ? all : onlyFound(all, keys))}
      nothingFoundMessage={t(waiting ? "parts.picker.searching" : "parts.picker.nothing")}
      clearButtonProps={{
        "aria-label": clearLabel ?? t("parts.picker.clear"),
        "aria-hidden": false,
        tabIndex: 0,
      }}
      {...(!hasNames && value !== null && { classNames: { input: "mono" } })}
      {...(showsKeys && {
        renderOption: ({ option }) => <Suggestion title={option.label} detail={option.value} />,
      })}
    />
  );
}
