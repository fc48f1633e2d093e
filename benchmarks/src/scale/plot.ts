/** One series over the same positions as the others. */
interface Line {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

interface Chart {
  readonly title: string;
  /** What the positions are. */
  readonly across: string;
  readonly lines: readonly Line[];
}

const size = { width: 720, height: 360, left: 64, right: 190, top: 48, bottom: 52 };
const marks = ["M-4,-4h8v8h-8z", "M0,-5.5l5.5,9.5h-11z", "M-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0z"];

/** A picture of figures that reads in light and dark, and without colors: each line has a mark and its name at its end. */
export function drawLines({ title, across, lines }: Chart): string {
  const positions = lines[0]?.points.map(({ at }) => at) ?? [];
  const top = niceTop(Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value))));
  const right = size.width - size.right;
  const bottom = size.height - size.bottom;
  const x = (at: number) =>
    size.left + (positions.indexOf(at) / Math.max(1, positions.length - 1)) * (right - size.left);
  const y = (value: number) => bottom - (value / top) * (bottom - size.top);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const height = y(top * part).toFixed(1);
    return `<path class="grid" d="M${size.left},${height}H${right}"/><text class="sub" x="${size.left - 8}" y="${height}" dy="4" text-anchor="end">${label(top * part)}</text>`;
  });
  const ticks = positions.map(
    (at) => `<text class="sub" x="${x(at).toFixed(1)}" y="${bottom + 22}" text-anchor="middle">${at}</text>`,
  );
  const ends = spread(lines.map(({ points }) => y(points.at(-1)?.value ?? 0)));
  const drawn = lines.map(({ name, points }, index) => {
    const path = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join("L");
    const shapes = points.map(
      ({ at, value }) =>
        `<path class="mark" d="${marks[index % marks.length]}" transform="translate(${x(at).toFixed(1)},${y(value).toFixed(1)})"/>`,
    );
    const end = `<text class="name" x="${right + 14}" y="${ends[index]?.toFixed(1)}" dy="5">${name}</text>`;
    return `<g class="line${index}"><path class="line" d="M${path}"/>${shapes.join("")}${end}</g>`;
  });
  const described = lines
    .map(
      ({ name, points }) => `${name}: ${points.map(({ at, value }) => `${at}: ${label(value)}`).join(", ")}.`,
    )
    .join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="t d" font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif" font-size="14">
  <title id="t">${title}</title>
  <desc id="d">By ${across}. ${described}</desc>
  <style>
    .name { fill: #17202b; } .sub { fill: #5b6675; font-size: 13px; } .grid { stroke: #d6dce5; }
    .line { fill: none; stroke-width: 2; }
    .line0 { --own: #2f6fde; } .line1 { --own: #b4530a; } .line2 { --own: #1d7f57; }
    .line { stroke: var(--own); } .mark { fill: var(--own); }
    @media (prefers-color-scheme: dark) {
      .name { fill: #e8edf3; } .sub { fill: #9aa6b5; } .grid { stroke: #2b3440; }
      .line0 { --own: #6ea3ff; } .line1 { --own: #f0a35e; } .line2 { --own: #5cc79a; }
    }
  </style>
  <text class="name" x="${size.left - 40}" y="24" font-weight="600">${title}</text>
  ${grid.join("\n  ")}
  ${ticks.join("\n  ")}
  <text class="sub" x="${((size.left + right) / 2).toFixed(1)}" y="${size.height - 10}" text-anchor="middle">${across}</text>
  ${drawn.join("\n  ")}
</svg>
`;
}

/** The end of an axis: a round number whose quarters are round, too, and not below the largest value. */
function niceTop(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(largest));
  return ([1, 2, 3, 4, 6, 8].find((step) => step * power >= largest) ?? 10) * power;
}

function label(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
}

/** Names that would stand on one another stand below one another. */
function spread(heights: readonly number[]): readonly number[] {
  const apart = 20;
  const order = heights.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = [...heights];
  for (const [rank, index] of order.entries()) {
    const above = order[rank - 1];
    if (above !== undefined) placed[index] = Math.max(placed[index] ?? 0, (placed[above] ?? 0) + apart);
  }
  return placed;
}
