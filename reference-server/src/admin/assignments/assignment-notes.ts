import type { Store } from "../../store/store.js";
import type { WantedAssignment } from "./change-assignments.js";

/** More names make no sentence clearer. */
const namedAddresses = 3;

/** What an administrator should know about the addresses that scopes are given to, before saving. */
export async function noteAssignees(
  create: readonly WantedAssignment[],
  store: Pick<Store, "assignmentLists" | "providers">,
): Promise<readonly string[]> {
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
    sentence(strangers, "has never signed in: it counts from the first sign-in on"),
    sentence(shutOut, "cannot sign in: no sign-in provider lets the domain in"),
    sentence(disabled, "is disabled, so it counts only when the person is enabled again"),
  ].filter((note) => note !== "");
}

function sentence(emails: readonly string[], fact: string): string {
  if (emails.length === 0) return "";
  const more = emails.length > namedAddresses ? ` and ${emails.length - namedAddresses} more` : "";
  return `${emails.slice(0, namedAddresses).join(", ")}${more}: ${fact}.`;
}
