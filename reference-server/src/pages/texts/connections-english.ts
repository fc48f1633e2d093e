import type { ConnectErrorCode } from "../../connectors/connect/connect-error.js";
import type { Revocation } from "../../connectors/provider/revocation.js";
import type { ReconnectReason } from "../../store/connections.js";
import { type Html, html } from "../html.js";

const reasons: Record<ReconnectReason, (name: string) => string> = {
  refused: (name) => `${name} does not accept the access any more: it was withdrawn there, or it ended.`,
  rotation_lost: (name) => `New access from ${name} was lost on the way, and the old one has ended.`,
  grant_shrunk: (name) => `A permission that is needed is missing at ${name}.`,
  expired: (name) => `The access to ${name} has ended, and it cannot be renewed.`,
  unreadable: () => "The stored access cannot be read any more.",
  client_changed: (name) => `An administrator has changed how ${name} is connected.`,
};

const failures: Record<ConnectErrorCode, (name: string) => string> = {
  access_denied: (name) => `${name} was not allowed to give access: you said no there, or ${name} did.`,
  cancelled: () => "You cancelled it. Nothing was asked for.",
  scope_missing: (name) =>
    `A permission that is needed was left out at ${name}, so what you allowed was given back. Connect again and allow it.`,
  other_account: (name) =>
    `You chose another account at ${name} than the one that is connected. Choose that one, or disconnect it first.`,
  issuer_mismatch: (name) =>
    `The answer did not come from ${name}. Nothing was accepted. If it happens again, tell an administrator.`,
  account_unknown: (name) =>
    `${name} did not say whose account it is, so what you allowed was given back. An administrator has to check the address that tells the account.`,
  provider_error: (name) =>
    `${name} sent an answer that cannot be used. Try again; if it happens again, tell an administrator.`,
  provider_unreachable: (name) =>
    `${name} cannot be reached at the moment. Try again in a minute; if it stays that way, tell an administrator.`,
  client_refused: (name) =>
    `${name} does not know this server. An administrator has to check the client id and the secret.`,
  insufficient_scope: (name) => `You lack a permission to use ${name}. Ask an administrator for it.`,
  directory_unavailable: () =>
    "The directory that knows your groups does not answer, so your permissions cannot be checked. Connect again in a few minutes.",
  not_found: (name) =>
    `${name} cannot be connected any more. An administrator has switched it off or removed it.`,
  disconnecting: (name) => `Your account at ${name} is just being disconnected. Try again in a minute.`,
  conflict: (name) =>
    `Another attempt was faster, or an administrator has just changed ${name}. Look at your connections, and try again if something is missing.`,
  connector_key_unavailable: () =>
    "The key that protects stored access is not available. An administrator has to check AUTHZ_CONNECTOR_KEK.",
  server_error: () => "The server failed. Try again; if it happens again, tell an administrator.",
};

const revocations: Record<Revocation, (name: string) => string> = {
  confirmed: (name) => `${name} has confirmed that the access is ended.`,
  unconfirmed: (name) =>
    `The third party did not confirm the revocation. Nothing is kept here any more, but ${name} may still accept the access: remove it there.`,
  unsupported: (name) =>
    `Nothing is kept here any more. ${name} has no way to end access from here: remove it there as well.`,
};

/** The words about accounts at third parties in English; `connections-german.ts` has the same in German. */
export const connectionsEnglish = {
  title: "Connections",
  lead: "Your accounts at other services, which your agents can use through this server. Access to them never leaves it.",
  notConnected: "not connected",
  disconnecting: "is being disconnected",
  connectAgain: "Connect it again.",
  reasons,
  account: (label: string) => `as ${label}`,
  lastUsed: (date: string) => `last used ${date}`,
  neverUsed: "not used yet",
  lacks: (scopes: Html): Html => html`you lack ${scopes}`,
  connect: "Connect",
  connectOf: (name: string) => `Connect ${name}`,
  reconnect: "Reconnect",
  reconnectOf: (name: string) => `Reconnect ${name}`,
  disconnect: "Disconnect",
  disconnectOf: (name: string) => `Disconnect ${name}`,
  ask: {
    title: (name: string) => `Connect ${name}?`,
    heading: (name: Html): Html => html`Connect your account at ${name}?`,
    lead: (name: string, installation: string) =>
      `${name} will ask you to allow access for ${installation}. Agents that act for you can then use your account there.`,
    fromClient: (client: string): Html =>
      html`<strong>${client}</strong> asks for this. Go on only if you started it yourself.`,
    scopes: (name: string) => `What ${name} is asked for`,
    required: "needed",
    abilities: "What agents can do then",
    reading: "Read what is at these addresses:",
    changing: "Read and change what is at these addresses:",
    deleting: "Read, change and delete what is at these addresses:",
    hint: "Access stays on this server. Agents never see it, and every use is recorded.",
    cancel: "Cancel",
    continue: (name: string) => `Continue to ${name}`,
  },
  going: {
    title: (name: string) => `On to ${name}`,
    link: (name: string) => `Go on to ${name}`,
  },
  connected: {
    title: (name: string) => `${name} is connected`,
    account: (label: string) => `The account is ${label}.`,
    terminal: "Go back to your terminal: it goes on by itself. You can close this page.",
    hint: (accountPage: Html): Html => html`You can disconnect it at any time on ${accountPage}.`,
    accountPage: "your account page",
  },
  failed: {
    title: (name: string) => `${name} was not connected`,
    failures,
    terminal: "To try again, go back to your terminal and start again.",
    accountPage: "Your account",
  },
  over: {
    title: "This attempt is over",
    paragraphs: [
      "It was used already, it took longer than ten minutes, or it was started in another browser or with another account.",
      "Start again from your terminal or on your account page.",
    ],
  },
  notYours: {
    title: "This is not yours to connect",
    paragraphs: [
      "There is no attempt at this address for the account you are signed in with. Somebody else may have started it, or it is over.",
      "If it is yours, sign in with the account you use in your terminal. Otherwise close this page.",
    ],
    switchAccount: "Use another account",
  },
  end: {
    title: (name: string) => `Disconnect ${name}?`,
    account: (label: string) => `The account ${label} is connected.`,
    effects: (name: string) => [
      "Agents cannot use the account from this moment on.",
      `${name} is told to end the access, as far as it can.`,
      "What is stored here is deleted. To use it again, you connect it again.",
    ],
    keep: "Keep it",
    disconnect: "Disconnect",
  },
  ended: {
    title: (name: string) => `${name} is disconnected`,
    revocations,
    removeThere: (name: string) => `Remove the access at ${name}`,
    removeSomewhere: (name: string) =>
      `Look in the settings of your account at ${name} for connected or authorised applications.`,
    nothing: (name: string) =>
      `There is no account at ${name} to disconnect, or it is being disconnected already.`,
  },
};
