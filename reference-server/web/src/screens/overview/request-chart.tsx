import type { OverviewCount } from "@admin/overview";
import { formatNumber, useText } from "../../text/text";
import { topOfScale } from "./top-of-scale";

const step = 10;
const bar = 7;
const height = 100;

type Labelled = OverviewCount & { readonly label: string };

/** Bars of issued requests with denied ones on top, drawn without a library because rectangles need none. */
export function RequestChart(props: {
  readonly counts: readonly Labelled[];
  /** The counts with a label below the chart. */
  readonly ticks: readonly Labelled[];
}) {
  const { counts, ticks } = props;
  const t = useText();
  const top = topOfScale(Math.max(...counts.map(({ issued, denied }) => issued + denied)));
  const sizeOf = (count: number) => (count === 0 ? 0 : Math.max(1, (count / top) * height));
  return (
    <>
      <p className="chart-keys">
        <span className="issued">{t("overview.issued")}</span>
        <span className="denied">{t("overview.denied")}</span>
      </p>
      <div className="chart-plot">
        <div className="chart-scale">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{formatNumber(value)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${counts.length * step} ${height}`} preserveAspectRatio="none">
          {counts.map(({ at, label, issued, denied }, index) => {
            const x = index * step;
            const place = { x: x + (step - bar) / 2, width: bar };
            const below = sizeOf(issued);
            return (
              <g key={at}>
                <title>{`${label}: ${t("overview.summary", { issued, denied })}`}</title>
                {/* The whole column reacts to the pointer. */}
                <rect className="chart-column" x={x} y={0} width={step} height={height} />
                <rect className="issued" {...place} y={height - below} height={below} />
                <rect
                  className="denied"
                  {...place}
                  y={height - below - sizeOf(denied)}
                  height={sizeOf(denied)}
                />
              </g>
            );
          })}
        </svg>
        <div className="chart-ticks">
          {ticks.map((tick) => (
            <span key={tick.at} style={{ left: `${((counts.indexOf(tick) + 0.5) / counts.length) * 100}%` }}>
              {tick.label}
            </span>
          ))}
        </div>
      </div>
    </>
  );
}
