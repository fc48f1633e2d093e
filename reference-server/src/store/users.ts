import type { UserListStore } from "./user-list.js";

/** A person who has signed in at least once. `id` is the `sub` of every token. */
export interface User {
  readonly id: string;
  /** Lower case; `null` once a provider has given the address to somebody else. */
  readonly email: string | null;
  readonly name: string | null;
  readonly enabled: boolean;
}

/** What a provider said about the person who just signed in. The e-mail address is verified. */
export interface SignIn {
  readonly providerId: string;
  readonly subject: string;
  readonly email: string;
  readonly name?: string;
  readonly at: Date;
}

export interface UserStore extends UserListStore {
  find(id: string): Promise<User | undefined>;
  /** Who has this address now; lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  /**
   * Finds or creates the user behind a sign-in and stores what the provider said.
   *
   * Permissions hang on the e-mail address, so it belongs to one user at a time: somebody new at the same
   * provider takes it over, the same address at another provider is the same person. An address held by a
   * disabled user yields that disabled user. Call it inside a transaction, and refuse a disabled user.
   */
  signIn(signIn: SignIn): Promise<User>;
  /** Returns whether the user exists. */
  setEnabled(id: string, enabled: boolean, at: Date): Promise<boolean>;
}
