import type { Usage } from "@admin/usage";
import { formatNumber, useText } from "../../text/text";
import { useStepLabel } from "./step-label";
import { usesOf } from "./usage-query";

const height = 120;
const step = 10;
const bar = 8;

/**
 * Bars of what was used, with what was denied and what failed on top. Drawn here: three rectangles need no library. It is one picture for a
 * screen reader, which gets the sums; hour by hour they stand in the table.
 */
export function Chart({ usage }: { readonly usage: Usage }) {
  const t = useText();
  const labelOf = useStepLabel(usage.unit);
  const { series, totals } = usage;
  const most = Math.max(1, ...series.map((one) => usesOf(one) + one.denied + one.failed));
  const width = series.length * step;
  const ends = [series[0], series[Math.floor(series.length / 2)], series.at(-1)];
  return (
    <figure className="usage-chart">
      <figcaption>
        <Key kind="used" label={t("usage.numbers.used")} />
        <Key kind="denied" label={t("usage.numbers.denied")} />
        <Key kind="failed" label={t("usage.numbers.failed")} />
        <span className="muted usage-most">{formatNumber(most)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("usage.summary", { ...totals })}
      >
        {series.map((one, index) => {
          const { at, denied, failed } = one;
          const used = usesOf(one);
          const values = { label: labelOf(at), used, denied, failed };
          return (
            <g key={at}>
              <title>{t("usage.step", values)}</title>
              {/* The whole column answers to the pointer. */}
              <rect className="usage-column" x={index * step} y={0} width={step} height={height} />
              <Bars parts={{ used, denied, failed }} x={index * step + (step - bar) / 2} most={most} />
            </g>
          );
        })}
      </svg>
      <div className="usage-axis" aria-hidden="true">
        {ends.map((one) => one !== undefined && <span key={one.at}>{labelOf(one.at)}</span>)}
      </div>
    </figure>
  );
}

const kinds = ["used", "denied", "failed"] as const;
type Kind = (typeof kinds)[number];

/** One on top of the other; what is not nothing can be seen. */
function Bars(props: {
  readonly parts: Readonly<Record<Kind, number>>;
  readonly x: number;
  readonly most: number;
}) {
  const { parts, x, most } = props;
  let top = height;
  return kinds.map((kind) => {
    if (parts[kind] === 0) return undefined;
    const size = Math.max(1.5, (parts[kind] / most) * height);
    top = Math.max(0, top - size);
    return <rect key={kind} className={`usage-bar ${kind}`} x={x} y={top} width={bar} height={size} />;
  });
}

function Key({ kind, label }: { readonly kind: Kind; readonly label: string }) {
  return (
    <span className="usage-key">
      <span className={kind} aria-hidden="true" />
      {label}
    </span>
  );
}
