import { useText } from "../text/text";
import "./lists.css";
import { Select } from "./fields";

/** One of a few values, or all: for the toolbar of a list. */
export function FilterSelect(props: {
  /** What it says when nothing is chosen: "Any state". */
  readonly label: string;
  readonly value: string | null;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string | undefined) => void;
}) {
  const { label, value, options, onChange } = props;
  const t = useText();
  return (
    <Select
      className="filter-select"
      aria-label={label}
      placeholder={label}
      value={value}
      data={[...options]}
      onChange={(next) => onChange(next ?? undefined)}
      clearable
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
    />
  );
}
