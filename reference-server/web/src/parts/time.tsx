import { createContext, createElement, type ReactNode, use, useEffect, useState } from "react";
import { useLocale, useText } from "../text/text";

const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Created once per language, because creating one takes longer than drawing a row. */
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();
const exactFormats = new Map<string, Intl.DateTimeFormat>();

/** "3 hours ago" in the language of the person; "just now" within a minute. */
function relativeTime(at: number, now: number, locale: string, justNow: string): string {
  const seconds = Math.round((at - now) / 1000);
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (unit === undefined) return justNow;
  const format = relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  relativeFormats.set(locale, format);
  return format.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** A moment: relative in the text, exact on hover. `null` is "never". */
export function Time({ at }: { readonly at: string | null }) {
  const t = useText();
  const locale = useLocale();
  const now = use(Now);
  // Formatted only when pointed at, because lists have thousands of times.
  const [isNear, setNear] = useState(false);
  if (at === null) return <span className="muted">{t("parts.never")}</span>;
  const date = new Date(at);
  const title = isNear ? formatExact(date, locale) : undefined;
  return (
    <time dateTime={at} className="time" title={title} onPointerEnter={() => setNear(true)}>
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
  const format =
    exactFormats.get(locale) ?? new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
  exactFormats.set(locale, format);
  return format.format(date);
}

const Now = createContext(Date.now());
const tickMilliseconds = 30_000;

/** Provides the current time to all relative times. One timer for all, because a scrolled list adds and removes hundreds of them. */
export function Clock({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMilliseconds);
    return () => clearInterval(timer);
  }, []);
  return createElement(Now, { value: now }, children);
}
