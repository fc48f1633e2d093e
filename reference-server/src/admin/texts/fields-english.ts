/** What is wrong with a member of a request, behind its name: `"name" must not be empty`. */
export const fieldsEnglish = {
  missing: "is missing",
  unknownMember: "is not known here",
  notValid: "is not valid",
  mustBe: (type: string) =>
    type === "int" ? "must be a whole number" : `must be ${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`,
  oneOf: (values: readonly string[]) => `must be ${values.join(" or ")}`,
  notEmpty: "must not be empty",
  characters: (bound: Bound, count: number) =>
    `must have ${bounds[bound]} ${count} ${count === 1 ? "character" : "characters"}`,
  items: (bound: Bound, count: number) =>
    `must have ${bounds[bound]} ${count} ${count === 1 ? "item" : "items"}`,
  number: (bound: Bound, count: number) => `must be ${bounds[bound]} ${count}`,
  email: "must be an e-mail address",
  uuid: "must be a UUID",
  time: "must be a time such as 2026-11-20T12:00:00Z",
  url: "must be a URL",
  format: "is not written as it has to be",
  noKnownForm: "has none of the forms that are known here",
  either: (faults: readonly string[]) => faults.join(", or "),
  trueOrFalse: "must be true or false",
  noNul: "must not contain a NUL character",
  noBody: "must be empty: this address takes no body",
  foreignCursor: "is not a cursor of this list in this order; start without one",
  unknownSeal: "names a seal that is not there; start without it",
  unknownScope: (scope: string) => `"${scope}" is not a known scope`,
  unknownResource: "there is no such resource",
  unknownGroupProvider: (key: string) => `"${key}" is not the key of a group provider`,
  unknownIdentityProvider: (key: string) => `"${key}" is not the key of an identity provider`,
  secretAgain: "must be given again: the stored one is for another address",
  secretAgainMethod: "must be given again: it would be sent in another way",
  noStoredSecret: "is missing: none is stored for this address",
  notOfClaim: "is nothing that a claim has",
  notOfClient: (type: "public" | "confidential" | "machine") => `is nothing that a ${type} client has`,
};

/** On which side of a number something has to be. */
export type Bound = "least" | "most";

const bounds: Readonly<Record<Bound, string>> = { least: "at least", most: "at most" };
