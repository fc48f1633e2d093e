/** What the keyring module and the libraries below it say, and what it means. The first that fits counts. */
const MEANINGS: readonly (readonly [said: RegExp, meaning: string])[] = [
  [
    /native binding|Cannot find module|ERR_MODULE_NOT_FOUND/i,
    "Its module for this platform is not installed.",
  ],
  [
    /DBUS_SESSION_BUS_ADDRESS|connect to socket|autolaunch|No DBus session|Connection refused/i,
    "This terminal belongs to no desktop session, and keyrings run in one.",
  ],
  [
    /ServiceUnknown|not provided by any|was not activatable|StartServiceByName/i,
    "No keyring program runs in this desktop session.",
  ],
  [/prompt was dismissed/i, "It is locked, and the question for its password was closed."],
  [/object locked|is locked|interaction is not allowed/i, "It is locked."],
  [/NoReply|did not receive a reply|disconnected|timed? ?out/i, "It does not answer."],
  [
    /no result found|no such object|does not exist/i,
    "It has no place for new entries. Open it once in the desktop's password program.",
  ],
];

/** Why the keyring failed, in words a person can do something with; the words of the libraries when they are new to us. */
export function describeKeyringFailure(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return MEANINGS.find(([pattern]) => pattern.test(said))?.[1] ?? said;
}
