/** Paths on a grid of 16, drawn with a line of 1.4. */
const paths = {
  overview: "M2.5 13.5V8.5M6.2 13.5V3M9.8 13.5V6.5M13.5 13.5V9.5",
  assignment:
    "M6 7.5a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8ZM1.8 13.2c.4-2.5 2-3.9 4.2-3.9 1 0 1.900.3 2.600.8M10 12l1.600 1.600 2.900-3.400",
  explain:
    "M5.900 6a2.100 2.100 0 1 1 3.300 1.700c-.8.5-1.200.9-1.200 1.800M8 11.800v.1M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  scope:
    "M6 9.800a3.300 3.300 0 1 0-2.300-5.700A3.300 3.300 0 0 0 6 9.800ZM8.300 8.300l5.200 5.200M11.300 11.300l1.400-1.400",
  group:
    "M5.500 7.600a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600ZM1.500 13c.3-2.400 1.800-3.700 4-3.700s3.700 1.300 4 3.700M10.500 3.200a2.200 2.200 0 0 1 0 4.200M11.700 9.500c1.600.3 2.600 1.500 2.800 3.500",
  resource: "M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.1M5 11h.1",
  skill: "M3 2.500h7.500L13 5v8.500H3zM5.500 6h5M5.500 8.500h5M5.500 11h3",
  user: "M8 7.800a2.700 2.700 0 1 0 0-5.400 2.700 2.700 0 0 0 0 5.400ZM2.800 13.600c.5-2.700 2.400-4.200 5.200-4.200s4.700 1.500 5.200 4.200",
  client: "M2 3.500h12v7.500H2zM5.500 13.500h5M8 11v2.500",
  session: "M8 4.500V8l2.300 1.500M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  provider: "M9 2.500h4.500v11H9M2.500 8H10M7.300 5.200 10 8l-2.700 2.800",
  key: "M5 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 8h6M12 8v2.500",
  audit: "M3 4h10M3 8h10M3 12h6",
  settings:
    "M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 6a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3ZM6 13a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9ZM10.300 10.300l3.200 3.200",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  check: "M3 8.500l3.300 3.300L13 5",
  warning: "M8 2.500 14.300 13.500H1.700ZM8 6.800v3M8 11.700v.1",
  failed: "M5.500 5.500l5 5M10.500 5.500l-5 5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  up: "M8 12.500v-9M4.500 7 8 3.500 11.500 7",
  down: "M8 3.500v9M4.500 9 8 12.500 11.500 9",
  right: "M6 3.500 10.500 8 6 12.500",
  back: "M10 3.500 5.500 8l4.500 4.500",
  more: "M3.500 8h.1M8 8h.1M12.500 8h.1",
  history: "M2.500 3v3h3M2.700 6A5.700 5.700 0 1 1 2.300 9M8 5v3l2 1.500",
  light:
    "M8 10.800a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600ZM8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M3.400 12.600l.9-.9M11.700 4.300l.9-.9",
  dark: "M13.300 9.700A5.600 5.600 0 0 1 6.300 2.700a5.600 5.600 0 1 0 7 7Z",
} as const;

export type IconName = keyof typeof paths;

/** A small drawing beside words. It says nothing that the words do not, so screen readers skip it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
