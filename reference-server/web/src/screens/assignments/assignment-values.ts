import type { NewAssignment } from "@admin/assignments";
import type { FieldProblem } from "../../api/api-error";
import { type Ending, endOf, lacksDate } from "../../parts/ending";
import { fieldSentence } from "../../parts/field-sentence";

/** The form: one person or many, or one group, and scopes. */
export interface AssignmentValues {
  readonly kind: "people" | "group";
  readonly emails: readonly string[];
  readonly provider: string;
  readonly group: string;
  readonly scopes: readonly string[];
  readonly ending: Ending;
}

/** The fields without which there is nothing to send. */
export function findMissing(
  values: AssignmentValues,
): readonly ("emails" | "group" | "scopes" | "expiresAt")[] {
  const { kind, emails, provider, group, scopes, ending } = values;
  const who = kind === "people" ? emails.length > 0 : provider !== "" && group !== "";
  return [
    ...(who ? [] : [kind === "people" ? ("emails" as const) : ("group" as const)]),
    ...(scopes.length > 0 ? [] : ["scopes" as const]),
    ...(lacksDate(ending) ? ["expiresAt" as const] : []),
  ];
}

/** Everybody with every scope. */
export function toBulk(values: AssignmentValues, now: number): { readonly create: readonly NewAssignment[] } {
  const { kind, emails, provider, group, scopes, ending } = values;
  const expiresAt = endOf(ending, now);
  const who = kind === "people" ? emails.map((email) => ({ email })) : [{ group: { provider, key: group } }];
  return { create: who.flatMap((one) => scopes.map((scope) => ({ ...one, scope, expiresAt }))) };
}

/** The server speaks of `create.3.email`; the form has one field of addresses. */
export function placeProblem(
  { path, message }: FieldProblem,
  { create }: { readonly create: readonly NewAssignment[] },
): FieldProblem {
  const [, index, member, part] = /^(?:create\.(\d+)\.)?(\w+)(?:\.(\w+))?$/.exec(path) ?? [];
  const assignment = create[Number(index ?? 0)];
  switch (member) {
    case "email":
      return { path: "emails", message: `${assignment?.email ?? ""}: ${fieldSentence(message)}` };
    case "scope":
      return { path: "scopes", message: `${assignment?.scope ?? ""}: ${fieldSentence(message)}` };
    case "group":
      return { path: part === "provider" ? "provider" : "group", message };
    case undefined:
    default:
      return { path, message };
  }
}
