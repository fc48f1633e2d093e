/** The duration of an assignment. */
export interface Ending {
  readonly length: "good" | "hour" | "day" | "date";
  /** The value of the date field, in the person's time zone. */
  readonly date: string;
}

export const forGood: Ending = { length: "good", date: "" };

/** In the order of the menu. */
export const lengths = ["good", "hour", "day", "date"] as const;
const hours = { hour: 1, day: 24 } as const;

/** The end, counted from now, as ISO 8601; `undefined` for no end. */
export function endOf({ length, date }: Ending, now: number): string | undefined {
  if (length === "good") return undefined;
  if (length !== "date") return new Date(now + hours[length] * 3_600_000).toISOString();
  const at = new Date(date);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Whether the date is missing. */
export function lacksDate({ length, date }: Ending): boolean {
  return length === "date" && Number.isNaN(new Date(date).getTime());
}
