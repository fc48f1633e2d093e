import type { AuditFilterQuery } from "@admin/audit";

/** The filter of the list, the export and the address. */
export type Filter = Pick<
  AuditFilterQuery,
  "from" | "to" | "outcome" | "actor" | "subject" | "client" | "service" | "connector"
> & {
  readonly type: readonly string[];
};

export const outcomes = ["success", "denied", "failed"] as const;
const names = ["from", "to", "actor", "subject", "client", "service", "connector"] as const;

/** The filter in the address, without values that the API would refuse. */
export function readFilter(search: URLSearchParams): Filter {
  const texts = Object.fromEntries(
    names.flatMap((name) => {
      const value = search.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  const outcome = outcomes.find((one) => one === search.get("outcome"));
  return { ...texts, ...(outcome !== undefined && { outcome }), type: search.getAll("type") };
}

export function isFiltered({ type, ...texts }: Filter): boolean {
  return type.length > 0 || Object.keys(texts).length > 0;
}

export const periods = ["today", "yesterday", "week", "month", "quarter", "lastQuarter"] as const;
export type Period = (typeof periods)[number];

/** Start and end of a period, in whole days of the person's time zone. */
export function toRange(period: Period, now = new Date()): { readonly from: string; readonly to?: string } {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const quarter = month - (month % 3);
  const midnight = (...date: readonly [number, number, number]) => new Date(...date).toISOString();
  switch (period) {
    case "today":
      return { from: midnight(year, month, day) };
    case "yesterday":
      return { from: midnight(year, month, day - 1), to: midnight(year, month, day) };
    case "week":
      return { from: midnight(year, month, day - 6) };
    case "month":
      return { from: midnight(year, month, day - 29) };
    case "quarter":
      return { from: midnight(year, quarter, 1) };
    case "lastQuarter":
    default:
      return { from: midnight(year, quarter - 3, 1), to: midnight(year, quarter, 1) };
  }
}

/** The period of a range, if there is one. */
export function toPeriod({ from, to }: Pick<Filter, "from" | "to">): Period | undefined {
  return periods.find((period) => {
    const range = toRange(period);
    return range.from === from && range.to === to;
  });
}

/** `2026-11-20T13:00` in the person's time zone, the format of time fields; empty for no time. */
export function toLocal(at: string | undefined): string {
  const date = new Date(at ?? "");
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocal(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
