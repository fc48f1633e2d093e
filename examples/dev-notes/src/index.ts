export { type Account, developmentAccounts } from "./accounts.js";
export { type DevNotes, type DevNotesOptions, startDevNotes } from "./dev-notes.js";
export type { Note } from "./note-store.js";
export type { DevNotesClient } from "./provider.js";
