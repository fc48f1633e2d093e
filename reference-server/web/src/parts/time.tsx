import { useEffect, useState } from "react";
import { useLocale, useText } from "../text/text";

const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** "3 hours ago" in the language of the person; "just now" within a minute. */
export function relativeTime(at: number, now: number, locale: string, justNow: string): string {
  const seconds = Math.round((at - now) / 1000);
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (unit === undefined) return justNow;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  return format.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** A moment: relative in the text, exact on hover. `null` is "never". */
export function Time({ at }: { readonly at: string | null }) {
  const t = useText();
  const locale = useLocale();
  const now = useNow();
  if (at === null) return <span className="muted">{t("parts.never")}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} className="time" title={formatExact(date, locale)}>
      {relativeTime(date.getTime(), now, locale, t("parts.times.justNow"))}
    </time>
  );
}

/** A moment, exactly, in the time zone of the person. */
export function ExactTime({ at }: { readonly at: string }) {
  const locale = useLocale();
  return (
    <time dateTime={at} className="time">
      {formatExact(new Date(at), locale)}
    </time>
  );
}

function formatExact(date: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }).format(date);
}

/** Moves on every half minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
