import { filtersIn, useSearch } from "../address/links";
import { useText } from "../text/text";
import { Select } from "./fields";
import { Icon } from "./icon";
import "./lists.css";

/** The filters of a list, which are in the address, and whether one of them is set. */
export function useFilters<Name extends string>(...names: readonly Name[]) {
  const [search] = useSearch();
  const filters = filtersIn(search, ...names);
  return { filters, filtered: Object.values(filters).some((value) => value !== undefined) };
}

interface SelectProps {
  /** The placeholder while nothing is chosen: "Any state". */
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** One of a few values of a filter, or all: for the toolbar of a list. */
export function ListFilter({ name, ...rest }: SelectProps & { readonly name: string }) {
  const [search, setSearch] = useSearch();
  return <FilterSelect {...rest} value={search.get(name)} onChange={(next) => setSearch({ [name]: next })} />;
}

/** The same for a filter outside the address, or under several names. */
export function FilterSelect(
  props: SelectProps & {
    readonly value: string | null;
    readonly onChange: (value: string | undefined) => void;
  },
) {
  const { label, value, options, onChange } = props;
  const t = useText();
  return (
    <Select
      className="filter-select"
      aria-label={label}
      placeholder={label}
      value={value}
      data={options.map(([key, text]) => ({ value: key, label: text }))}
      onChange={(next) => onChange(next ?? undefined)}
      clearable
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
    />
  );
}

/** A filter set by a link; a click removes it from the address. Nothing without a label. */
export function FilterChip({ name, label }: { readonly name: string; readonly label: string | undefined }) {
  const t = useText();
  const [, setSearch] = useSearch();
  if (label === undefined || label === "") return undefined;
  return (
    <button
      type="button"
      className="filter-chip"
      onClick={() => setSearch({ [name]: undefined })}
      aria-label={`${label}. ${t("parts.table.removeFilter")}`}
    >
      {label}
      <Icon name="close" size={12} />
    </button>
  );
}
