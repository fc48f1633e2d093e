/** A person who can sign in here. */
export interface Person {
  /** Stable, never reused: becomes the `sub` claim. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Default: `true`. */
  readonly emailVerified?: boolean;
  readonly groups?: readonly string[];
  /** One line under the name on the sign-in page: what to try as this person. */
  readonly note?: string;
}

/** The three people of the development system. The authorization server decides what they may do. */
export const developmentPeople: readonly Person[] = [
  {
    id: "ada",
    name: "Ada Lovelace",
    email: "ada@acme.example",
    groups: ["sales"],
    note: "Works in sales",
  },
  {
    id: "bruno",
    name: "Bruno Keller",
    email: "bruno@acme.example",
    groups: ["platform"],
    note: "Administrator",
  },
  {
    id: "clara",
    name: "Clara Nowak",
    email: "clara@acme.example",
    groups: [],
    note: "New in the company",
  },
];
