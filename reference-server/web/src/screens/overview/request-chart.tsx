import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import type { OverviewCount } from "@admin/overview";
import { formatNumber, useText } from "../../text/text";

/** Bars of what was issued, with what was denied on top. A module of its own: the library is heavy. */
export default function RequestChart({
  counts,
  ticks,
}: {
  readonly counts: readonly (OverviewCount & { readonly label: string })[];
  /** The labels that stand below the chart; on narrow windows every second or third of them. */
  readonly ticks: readonly string[];
}) {
  const t = useText();
  return (
    <BarChart
      h={240}
      data={[...counts]}
      dataKey="label"
      type="stacked"
      withLegend
      legendProps={{ verticalAlign: "top", height: 36 }}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="2 4"
      valueFormatter={formatNumber}
      series={[
        { name: "issued", label: t("overview.issued"), color: "var(--chart-issued)" },
        { name: "denied", label: t("overview.denied"), color: "var(--chart-denied)" },
      ]}
      yAxisProps={{ allowDecimals: false, width: 48 }}
      xAxisProps={{ minTickGap: 24, ticks: [...ticks], interval: "equidistantPreserveStart" }}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false, maxBarSize: 28 }}
      tooltipAnimationDuration={0}
    />
  );
}
