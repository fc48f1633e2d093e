import type { z } from "zod";
import type { Bound } from "../texts/fields-english.js";
import type { Sentence } from "../texts/texts.js";
import type { FieldFault } from "./admin-error.js";

type Issue = z.core.$ZodIssue;

/** What a schema found wrong, in words that stand behind the name of a member: "must have at most 200 characters". */
export function toFieldFaults(issues: readonly Issue[]): FieldFault[] {
  return issues.flatMap((issue) => {
    const place = issue.path.map(String);
    if (issue.code !== "unrecognized_keys") return [{ path: place.join("."), message: describe(issue) }];
    return issue.keys.map((key) => ({
      path: [...place, key].join("."),
      message: ({ fields }) => fields.unknownMember,
    }));
  });
}

/** How the library's own messages begin; every other message is ours. */
const notOurs = /^(?:Invalid|Too |Unrecognized)/;

function describe(issue: Issue): Sentence {
  if (!notOurs.test(issue.message)) return ({ below }) => below(issue.message);
  switch (issue.code) {
    case "invalid_type":
      if (isMissing(issue)) return ({ fields }) => fields.missing;
      return ({ fields }) => fields.mustBe(issue.expected);
    case "too_small":
      return describeSize(issue.origin, { count: Number(issue.minimum), bound: "least" });
    case "too_big":
      return describeSize(issue.origin, { count: Number(issue.maximum), bound: "most" });
    case "invalid_value":
      return oneOf(issue.values);
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
      return ({ fields }) => fields.notValid;
  }
}

/** The library says so in its message only. */
function isMissing({ message }: Issue): boolean {
  return message.endsWith("received undefined");
}

function oneOf(values: readonly unknown[]): Sentence {
  return ({ fields }) => fields.oneOf(values.map((value) => JSON.stringify(value)));
}

function describeSize(
  origin: string,
  { count, bound }: { readonly count: number; readonly bound: Bound },
): Sentence {
  return ({ fields }) => {
    if (origin === "array") return fields.items(bound, count);
    if (origin !== "string") return fields.number(bound, count);
    return count === 1 && bound === "least" ? fields.notEmpty : fields.characters(bound, count);
  };
}

function describeFormat(format: string): Sentence {
  switch (format) {
    case "email":
      return ({ fields }) => fields.email;
    case "uuid":
      return ({ fields }) => fields.uuid;
    case "datetime":
      return ({ fields }) => fields.time;
    case "url":
      return ({ fields }) => fields.url;
    default:
      return ({ fields }) => fields.format;
  }
}

function describeUnion(issue: Extract<Issue, { code: "invalid_union" }>): Sentence {
  const { options } = issue as { readonly options?: readonly unknown[] };
  if (options !== undefined) return oneOf(options);
  const inner = issue.errors
    .flatMap((issues) => issues.filter(({ path }) => path.length === 0))
    .map(describe);
  if (inner.length === 0) return ({ fields }) => fields.noKnownForm;
  return (texts) => texts.fields.either([...new Set(inner.map((sentence) => sentence(texts)))]);
}
