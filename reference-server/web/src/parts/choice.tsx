import { SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import "./lists.css";

/** One of a few kinds, with what the chosen one means; below each other in narrow windows. */
export function Choice<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly help: string;
  readonly onChange: (value: Value) => void;
}) {
  const { label, value, options, help, onChange } = props;
  const narrow = useMediaQuery("(max-width: 32em)", false, { getInitialValueInEffect: false });
  return (
    <div className="choice" role="group" aria-label={label}>
      <strong aria-hidden="true">{label}</strong>
      <SegmentedControl
        value={value}
        onChange={(next) => onChange(options.find((option) => option.value === next)?.value ?? value)}
        data={[...options]}
        orientation={narrow ? "vertical" : "horizontal"}
        fullWidth={narrow}
        aria-label={label}
      />
      <p className="muted">{help}</p>
    </div>
  );
}
