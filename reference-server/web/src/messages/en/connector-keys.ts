export const en = {
  title: "Connector keys",
  lead: "They encrypt people's tokens at third parties and the secrets of connectors. New ones are encrypted with the active key; older keys only read.",
  views: "Kinds of keys",
  signing: "Signing keys",
  connector: "Connector keys",
  states: {
    ready: "The active key works, and something else is wrong",
    not_configured: "No key is set",
    malformed: "The key cannot be used",
    unknown_key: "The key is not known",
    unreadable: "The key does not fit",
    unavailable: "The key cannot be reached",
  },
  notConfigured: "Connectors cannot be used without a key. Everything else works.",
  howTo: "How to make a key",
  active: "Encrypts now",
  reads: "Only reads",
  missing: "Missing",
  uses: (connections: number, connectionsText: string, connectors: number, connectorsText: string) => {
    if (connections + connectors === 0) return "Nothing is encrypted with it.";
    const people = connections === 1 ? "one connection" : `${connectionsText} connections`;
    const secrets =
      connectors === 1 ? "the secret of one connector" : `the secrets of ${connectorsText} connectors`;
    if (connectors === 0) return `Encrypts ${people}.`;
    if (connections === 0) return `Encrypts ${secrets}.`;
    return `Encrypts ${people} and ${secrets}.`;
  },
  missingAdvice: (inVault: boolean, variable: string) =>
    `What it encrypted cannot be read. ${inVault ? "Let the server use that Vault or OpenBao key again" : `Bring it back in ${variable}`} and restart. If it is lost, people connect again, and connectors need their secret again.`,
  obsolete: "Re-wrap it below with the active key. Afterwards this one can leave the configuration.",
  removable: "It can leave the configuration.",
  rewrap: {
    title: "Re-wrap with the active key",
    lead: "After changing the key: what older keys protect gets the active one, batch by batch. Tokens are not touched, nobody notices, and it can be stopped and continued at any time.",
    run: (count: string) => `Re-wrap ${count}`,
    resume: "Continue",
    stop: "Stop",
    progress: "Re-wrapped",
    of: (done: string, total: string) => `${done} of ${total}`,
    working: "Leaving this page stops it after the current batch.",
    stopped: (left: string) => `Stopped. ${left} are left; continue whenever you like.`,
    done: (count: number, text: string) => (count === 1 ? "One is re-wrapped." : `${text} are re-wrapped.`),
    finished: "Everything that can be read is encrypted with the active key.",
    stuck: "Nothing more can be re-wrapped at the moment. Reload to see what is left.",
    unreadable: (count: number, text: string) =>
      count === 1
        ? "One could not be read, because its key is missing."
        : `${text} could not be read, because their key is missing.`,
    nothing: "Everything is encrypted with the active key.",
    nothingReadable:
      "There is nothing to re-wrap. What a missing key encrypted has to wait until the key is back.",
  },
};
