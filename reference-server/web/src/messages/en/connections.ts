export const en = {
  lead: "Accounts that people have connected. You see whose and in what state, never what is in them.",
  plural: "people",
  columns: {
    person: "Person",
    connector: "Connector and account",
    account: "Account there",
    state: "State",
    connected: "Connected",
    used: "Last used",
  },
  states: {
    connected: "Connected",
    reconnect_required: "Must connect again",
    disconnecting: "Being disconnected",
  },
  reasons: {
    refused: "The third party no longer accepts it: revoked there, or too old.",
    rotation_lost: "A renewal was cut off, and the third party no longer accepts the old token.",
    grant_shrunk: "A scope that is needed was taken away there.",
    expired: "Its time is over, and the third party gave no way to renew it.",
    unreadable: "Its tokens could not be read.",
    client_changed: "The connector now uses another application there.",
  },
  unreadable: "Cannot be read",
  unreadableText: "The key that encrypts it is missing on this server.",
  anyState: "Any state",
  anyConnector: "Any connector",
  noAccount: "account not named",
  onlyPerson: (name: string) => `Only ${name}`,
  empty: {
    title: "Nobody has connected an account yet",
    text: "People connect on their own page, or with “authz connections connect”. They need the permissions that the connector asks for.",
  },
  disconnect: "Disconnect",
  disconnectTitle: (person: string, connector: string) => `Disconnect ${person} from ${connector}?`,
  disconnectText:
    "Calls are refused at once. The server revokes the access at the third party and deletes the tokens. The person can connect again.",
  disconnectSubmit: "Disconnect",
  confirmed: "Disconnected. The third party has confirmed that the access is revoked.",
  outcome: {
    title: "Disconnected",
    unconfirmed:
      "The tokens are deleted here, but the third party did not confirm that it revoked the access. Ask the person to remove this application in the settings of their account there.",
    unsupported:
      "The tokens are deleted here. This third party cannot be asked to revoke the access, so it ends there by itself; the person can end it at once in the settings of their account there.",
  },
  ofPerson: {
    title: "Connected accounts",
    lead: "What their agents can use at third parties.",
    none: "No account is connected.",
    used: "last used",
    showAll: "Show all",
  },
};
