import type { GroupProvider } from "./group-providers.js";

/** One rule: whoever it names has this scope. */
export type Assignment = EmailAssignment | GroupAssignment;

/** This e-mail address has this scope. */
export interface EmailAssignment {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly scope: string;
}

/** Everybody in this group has this scope. */
export interface GroupAssignment {
  readonly id: string;
  readonly group: AssignedGroup;
  readonly scope: string;
}

/** A group as its provider calls it. */
export interface AssignedGroup {
  readonly provider: Pick<GroupProvider, "id" | "key" | "name" | "type">;
  /** Compared exactly. */
  readonly key: string;
}

/** Somebody whom a rule names by address. */
export interface AssignedPerson {
  readonly email: string;
  /** `null` until the person has signed in, and when the provider gave no name. */
  readonly name: string | null;
}

/** A rule as it is written: of a group's provider only the id counts. */
export type NewAssignment =
  | EmailAssignment
  | (Omit<GroupAssignment, "group"> & {
      readonly group: { readonly providerId: string; readonly key: string };
    });

/** The rules that can apply to a person, as far as the database alone can say. */
export interface PersonRules {
  /** Those of the address, and of the groups that enabled providers claimed at the last sign-in. */
  readonly rules: readonly Assignment[];
  /** The ids of the enabled directories whose groups have any rules: each has to be asked still. */
  readonly directories: readonly string[];
}

/** Some groups of one provider. */
export interface GroupsOfProvider {
  readonly providerId: string;
  readonly keys: readonly string[];
}

export interface AssignmentStore {
  listByEmail(email: string): Promise<readonly EmailAssignment[]>;
  listByGroup(group: { providerId: string; key: string }): Promise<readonly GroupAssignment[]>;
  /** The groups of enabled providers that have a scope. */
  listGroupsByScope(scope: string, limit: number): Promise<readonly GroupAssignment[]>;
  /** The people whose address has a scope, without the disabled ones; who has signed in before comes first. */
  listPeopleByScope(scope: string, limit: number): Promise<readonly AssignedPerson[]>;
  listFor(person: { userId: string; email: string | null }): Promise<PersonRules>;
  /** The rules of these groups, as far as their providers are enabled. */
  listOfGroups(groups: readonly GroupsOfProvider[]): Promise<readonly GroupAssignment[]>;
  /** For each scope that groups of these providers have, the first few of them. */
  sampleByScope(providerIds: readonly string[], groupsPerScope: number): Promise<readonly GroupAssignment[]>;
  /** Returns whether the row was new. */
  insertMissing(assignment: NewAssignment, at: Date): Promise<boolean>;
  /** Inserts up to a thousand rows at once and returns the ids of those that were new. */
  insertAllMissing(assignments: readonly NewAssignment[], at: Date): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
  removeAll(ids: readonly string[]): Promise<void>;
}
