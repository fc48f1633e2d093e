import type { Account } from "./accounts.js";

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly createdAt: string;
  /** The app that created it; `null` for the owner. */
  readonly createdBy: string | null;
}

export interface NewNote {
  readonly title: string;
  readonly text: string;
}

/** The notes of all accounts, in this process and gone with it. */
export interface NoteStore {
  /** Newest first. */
  list(accountId: string): readonly Note[];
  find(accountId: string, id: string): Note | undefined;
  /** `undefined`: the account is full. */
  create(accountId: string, note: NewNote, createdBy: string): Note | undefined;
  /** Whether there was one. */
  delete(accountId: string, id: string): boolean;
}

/** Keeps memory bounded. */
const MAX_NOTES = 500;

export function createNoteStore(accounts: Iterable<Account>): NoteStore {
  let count = 0;
  const notes = new Map<string, Map<string, Note>>();

  function add(accountId: string, { title, text }: NewNote, createdBy: string | null): Note {
    count += 1;
    const note = { id: `n${count}`, title, text, createdAt: new Date().toISOString(), createdBy };
    own(accountId).set(note.id, note);
    return note;
  }

  function own(accountId: string): Map<string, Note> {
    const found = notes.get(accountId) ?? new Map<string, Note>();
    notes.set(accountId, found);
    return found;
  }

  for (const account of accounts) {
    for (const note of account.notes) {
      add(account.id, note, null);
    }
  }

  return {
    list: (accountId) => [...own(accountId).values()].toReversed(),
    find: (accountId, id) => own(accountId).get(id),
    create: (accountId, note, createdBy) =>
      own(accountId).size < MAX_NOTES ? add(accountId, note, createdBy) : undefined,
    delete: (accountId, id) => own(accountId).delete(id),
  };
}
