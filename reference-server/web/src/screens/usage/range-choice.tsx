import { SegmentedControl } from "@mantine/core";
import { useText } from "../../text/text";
import { type Range, ranges } from "./usage-query";

export function RangeChoice({
  range,
  onChange,
}: {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
}) {
  const t = useText();
  return (
    <SegmentedControl
      aria-label={t("usage.range")}
      value={range}
      onChange={(next) => onChange(ranges.find((one) => one === next) ?? range)}
      data={ranges.map((value) => ({ value, label: t(`usage.ranges.${value}`) }))}
    />
  );
}
