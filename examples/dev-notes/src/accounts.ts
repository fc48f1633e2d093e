/** A personal account at Notes, unrelated to the person's employer. */
export interface Account {
  /** Stable, never reused: becomes the `sub` claim. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** What is in the account from the start. */
  readonly notes: readonly { readonly title: string; readonly text: string }[];
}

/** The two accounts of the development system. */
export const developmentAccounts: readonly Account[] = [
  {
    id: "ada-home",
    name: "Ada Lovelace",
    email: "ada@home.example",
    notes: [
      { title: "Call Charles", text: "Ask about the second mill. He has the drawings." },
      { title: "Bernoulli numbers", text: "Write down how the engine would compute B7." },
    ],
  },
  {
    id: "bruno-home",
    name: "Bruno Keller",
    email: "bruno@home.example",
    notes: [{ title: "Bread", text: "500 g flour, 350 g water, 10 g salt, patience." }],
  },
];
