import type { z } from "zod";
import type { FieldFault } from "./admin-error.js";

type Issue = z.core.$ZodIssue;

/** What a schema found wrong, in words that stand behind the name of a member: "must have at most 200 characters". */
export function toFieldFaults(issues: readonly Issue[]): FieldFault[] {
  return issues.flatMap((issue) => {
    const place = issue.path.map(String);
    if (issue.code !== "unrecognized_keys") return [{ path: place.join("."), message: describe(issue) }];
    return issue.keys.map((key) => ({ path: [...place, key].join("."), message: "is not known here" }));
  });
}

/** How the library's own messages begin; every other message is ours and stays. */
const notOurs = /^(?:Invalid|Too |Unrecognized)/;

function describe(issue: Issue): string {
  if (!notOurs.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return isMissing(issue) ? "is missing" : `must be ${article(issue.expected)}`;
    case "too_small":
      return describeSize(issue.origin, { bound: Number(issue.minimum), word: "at least" });
    case "too_big":
      return describeSize(issue.origin, { bound: Number(issue.maximum), word: "at most" });
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "invalid_format":
      return describeFormat(issue.format);
    case "invalid_union":
      return describeUnion(issue);
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "not_multiple_of":
    case "unrecognized_keys":
    default:
      return "is not valid";
  }
}

/** The library says so in its message only. */
function isMissing({ message }: Issue): boolean {
  return message.endsWith("received undefined");
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function describeSize(
  origin: string,
  { bound, word }: { readonly bound: number; readonly word: string },
): string {
  if (origin === "string") {
    return bound === 1 && word === "at least"
      ? "must not be empty"
      : `must have ${word} ${bound} ${bound === 1 ? "character" : "characters"}`;
  }
  if (origin === "array") return `must have ${word} ${bound} ${bound === 1 ? "item" : "items"}`;
  return `must be ${word} ${bound}`;
}

function describeFormat(format: string): string {
  switch (format) {
    case "email":
      return "must be an e-mail address";
    case "uuid":
      return "must be a UUID";
    case "datetime":
      return "must be a time such as 2026-11-20T12:00:00Z";
    case "url":
      return "must be a URL";
    default:
      return "is not written as it has to be";
  }
}

function describeUnion(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const { options } = issue as { readonly options?: readonly unknown[] };
  if (options !== undefined) return `must be ${options.map((value) => JSON.stringify(value)).join(" or ")}`;
  const inner = issue.errors
    .flatMap((issues) => issues.filter(({ path }) => path.length === 0))
    .map(describe);
  return inner.length === 0 ? "has none of the forms that are known here" : [...new Set(inner)].join(", or ");
}
