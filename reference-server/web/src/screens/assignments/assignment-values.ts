import type { NewAssignment } from "@admin/assignments";
import type { FieldProblem } from "../../api/api-error";
import { fieldSentence } from "../../parts/field-sentence";

/** The form: one person or many, or one group, and scopes. */
export interface AssignmentValues {
  readonly kind: "people" | "group";
  readonly emails: readonly string[];
  readonly provider: string;
  readonly group: string;
  readonly scopes: readonly string[];
}

/** The fields without which there is nothing to send. */
export function findMissing(values: AssignmentValues): readonly ("emails" | "group" | "scopes")[] {
  const { kind, emails, provider, group, scopes } = values;
  const who = kind === "people" ? emails.length > 0 : provider !== "" && group !== "";
  return [
    ...(who ? [] : [kind === "people" ? ("emails" as const) : ("group" as const)]),
    ...(scopes.length > 0 ? [] : ["scopes" as const]),
  ];
}

/** Everybody with every scope. */
export function toBulk(values: AssignmentValues): { readonly create: readonly NewAssignment[] } {
  const { kind, emails, provider, group, scopes } = values;
  const who = kind === "people" ? emails.map((email) => ({ email })) : [{ group: { provider, key: group } }];
  return { create: who.flatMap((one) => scopes.map((scope) => ({ ...one, scope }))) };
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
