/** How long something is given for. */
export interface Ending {
  readonly length: "good" | "hour" | "day" | "date";
  /** The moment, as the field has it: in the time zone of the person. */
  readonly date: string;
}

export const forGood: Ending = { length: "good", date: "" };

/** In the order in which they are offered. */
export const lengths = ["good", "hour", "day", "date"] as const;
const hours = { hour: 1, day: 24 } as const;

/** When it ends, counted from now, as ISO 8601; `undefined`: it is for good. */
export function endOf({ length, date }: Ending, now: number): string | undefined {
  if (length === "good") return undefined;
  if (length !== "date") return new Date(now + hours[length] * 3_600_000).toISOString();
  const at = new Date(date);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Whether a date is wanted and there is none yet. */
export function lacksDate({ length, date }: Ending): boolean {
  return length === "date" && Number.isNaN(new Date(date).getTime());
}
