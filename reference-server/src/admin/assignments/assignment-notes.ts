import type { Store } from "../../store/store.js";
import type { AdminTexts, Sentence } from "../texts/texts.js";
import type { WantedAssignment } from "./change-assignments.js";

/** What an administrator should know about the addresses that scopes are given to, before saving. */
export async function noteAssignees(
  create: readonly WantedAssignment[],
  store: Pick<Store, "assignmentLists" | "providers">,
): Promise<readonly Sentence[]> {
  const emails = [...new Set(create.flatMap(({ email }) => email ?? []))];
  if (emails.length === 0) return [];
  const providers = await store.providers.listEnabled();
  const open = providers.some(({ allowedEmailDomains }) => allowedEmailDomains.length === 0);
  const domains = new Set(providers.flatMap(({ allowedEmailDomains }) => allowedEmailDomains));
  const shutOut = open ? [] : emails.filter((email) => !domains.has(email.slice(email.lastIndexOf("@") + 1)));
  const people = await store.assignmentLists.findPeople(emails);
  const known = new Set(people.map(({ email }) => email));
  const strangers = emails.filter((email) => !known.has(email) && !shutOut.includes(email));
  const disabled = people.filter(({ enabled }) => !enabled).map(({ email }) => email);
  return [
    ...(strangers.length === 0 ? [] : [({ notes }: AdminTexts) => notes.strangers(strangers)]),
    ...(shutOut.length === 0 ? [] : [({ notes }: AdminTexts) => notes.shutOut(shutOut)]),
    ...(disabled.length === 0 ? [] : [({ notes }: AdminTexts) => notes.disabled(disabled)]),
  ];
}
