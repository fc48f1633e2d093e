import { useState, type ReactNode } from "react";
import { Button } from "@mantine/core";
import { formatNumber, useLocale, useText } from "../../text/text";
import "./usage.css";

const height = 120;
const step = 10;
const bar = 8;

/** From the bottom to the top of a bar. */
const kinds = ["used", "denied", "failed"] as const;
type Kind = (typeof kinds)[number];

export interface ChartStep {
  /** When the hour or the day began. */
  readonly at: string;
  readonly bars: Readonly<Partial<Record<Kind, number>>>;
  /** Describes the step. */
  readonly title: string;
}

/** Numbers, and their history: as a chart, or as the same numbers in a table. */
export function Numbers(props: {
  readonly numbers: readonly (readonly [kind: string | undefined, name: string, number: number])[];
  readonly chart: ReactNode;
  readonly table: ReactNode;
}) {
  const t = useText();
  const [asTable, setAsTable] = useState(false);
  return (
    <div className="usage-numbers">
      <dl className="usage-totals">
        {props.numbers.map(([kind, name, number]) => (
          <div key={name} data-kind={kind}>
            <dt>{name}</dt>
            <dd>{formatNumber(number)}</dd>
          </div>
        ))}
      </dl>
      {asTable ? props.table : props.chart}
      <Button variant="default" size="compact-sm" onClick={() => setAsTable(!asTable)}>
        {asTable ? t("usage.asChart") : t("usage.asTable")}
      </Button>
    </div>
  );
}

/**
 * Bars, drawn without a library because rectangles need none. Screen readers get one picture with a summary; the table
 * has the numbers of each step.
 *
 * @param props.summary - describes the whole chart
 * @param props.caption - a legend above it; gets the height of the scale
 */
export function Chart(props: {
  readonly unit: "hour" | "day";
  readonly steps: readonly ChartStep[];
  readonly summary: string;
  readonly caption?: (most: number) => ReactNode;
}) {
  const { unit, steps, summary, caption } = props;
  const labelOf = useStepLabel(unit);
  const most = Math.max(
    1,
    ...steps.map(({ bars }) => kinds.reduce((sum, kind) => sum + (bars[kind] ?? 0), 0)),
  );
  const ends = [steps[0], steps[Math.floor(steps.length / 2)], steps.at(-1)];
  return (
    <figure className="usage-chart">
      {caption?.(most)}
      <svg
        viewBox={`0 0 ${steps.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {steps.map(({ at, bars, title }, index) => (
          <g key={at}>
            <title>{title}</title>
            {/* The whole column reacts to the pointer. */}
            <rect className="usage-column" x={index * step} y={0} width={step} height={height} />
            <Bars bars={bars} x={index * step + (step - bar) / 2} most={most} />
          </g>
        ))}
      </svg>
      <div className="usage-axis" aria-hidden="true">
        {ends.map((one) => one !== undefined && <span key={one.at}>{labelOf(one.at)}</span>)}
      </div>
    </figure>
  );
}

/** Stacked bars; a number above zero is always visible. */
function Bars(props: { readonly bars: ChartStep["bars"]; readonly x: number; readonly most: number }) {
  const { bars, x, most } = props;
  let top = height;
  return kinds.map((kind) => {
    const count = bars[kind] ?? 0;
    if (count === 0) return undefined;
    const size = Math.max(1.5, (count / most) * height);
    top = Math.max(0, top - size);
    return <rect key={kind} className={`usage-bar ${kind}`} x={x} y={top} width={bar} height={size} />;
  });
}

/** The numbers of a chart, the newest first, without steps in which nothing happened. */
export function SeriesTable<Step extends { readonly at: string }>(props: {
  readonly unit: "hour" | "day";
  readonly steps: readonly Step[];
  readonly columns: readonly {
    readonly name: string;
    readonly of: (one: Step) => number;
    /** Left out on narrow windows. */
    readonly secondary?: boolean | undefined;
  }[];
}) {
  const { unit, steps, columns } = props;
  const t = useText();
  const labelOf = useStepLabel(unit);
  const busy = steps.filter((one) => columns.some(({ of }) => of(one) > 0));
  return (
    <>
      <table className="table usage-table">
        <thead>
          <tr>
            <th>{unit === "day" ? t("usage.day") : t("usage.hour")}</th>
            {columns.map(({ name, secondary }) => (
              <th key={name} data-align="end" data-secondary={secondary}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.toReversed().map((one) => (
            <tr key={one.at}>
              <td>
                <time dateTime={one.at}>{labelOf(one.at)}</time>
              </td>
              {columns.map(({ name, of, secondary }) => (
                <td key={name} data-align="end" data-secondary={secondary}>
                  {formatNumber(of(one))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted usage-note">{t("usage.quietLeftOut")}</p>
    </>
  );
}

/** Returns a function that names an hour or a day. Days are UTC, as they are counted; hours are the person's own. */
export function useStepLabel(unit: "hour" | "day"): (at: string) => string {
  const locale = useLocale();
  const format = new Intl.DateTimeFormat(
    locale,
    unit === "day" ? { day: "numeric", month: "short", timeZone: "UTC" } : { timeStyle: "short" },
  );
  return (at) => format.format(new Date(at));
}
