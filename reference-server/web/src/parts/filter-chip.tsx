import { useText } from "../text/text";
import { Icon } from "./icon";

/** A filter that came with the address; a click removes it. Nothing without a label. */
export function FilterChip(props: { readonly label: string | undefined; readonly onRemove: () => void }) {
  const { label, onRemove } = props;
  const t = useText();
  if (label === undefined || label === "") return undefined;
  return (
    <button
      type="button"
      className="filter-chip"
      onClick={onRemove}
      aria-label={`${label}. ${t("parts.table.removeFilter")}`}
    >
      {label}
      <Icon name="close" size={12} />
    </button>
  );
}
