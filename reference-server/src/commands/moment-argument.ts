import { InvalidArgumentError } from "commander";

/** Parses a moment from the command line. A date means midnight in UTC; a time needs a zone. */
export function toMoment(text: string): Date {
  const moment = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T.+(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError("Expected: 2026-11-20 or 2026-11-20T12:00:00Z.");
  }
  return moment;
}
