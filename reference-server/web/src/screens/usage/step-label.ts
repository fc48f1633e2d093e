import { useLocale } from "../../text/text";

/** Says when an hour or a day was: days are those of UTC, as they are counted; hours are those of the person. */
export function useStepLabel(unit: "hour" | "day"): (at: string) => string {
  const locale = useLocale();
  const format = new Intl.DateTimeFormat(
    locale,
    unit === "day" ? { day: "numeric", month: "short", timeZone: "UTC" } : { timeStyle: "short" },
  );
  return (at) => format.format(new Date(at));
}
