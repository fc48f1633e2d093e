/** One rule: this e-mail address has this scope. */
export interface Assignment {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly scope: string;
}

export interface AssignmentStore {
  listByEmail(email: string): Promise<readonly Assignment[]>;
  /** Returns whether the row was new. */
  insertMissing(assignment: Assignment, at: Date): Promise<boolean>;
  remove(id: string): Promise<void>;
}
