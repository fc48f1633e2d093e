/** Why a connection has to be made again, as a sentence. */
export function reconnectReason(reason: string | undefined, name: string): string {
  switch (reason ?? "") {
    case "refused":
      return `${name} no longer accepts the access: it was withdrawn there, or it has ended.`;
    case "rotation_lost":
      return `An answer of ${name} was lost while the access was renewed.`;
    case "grant_shrunk":
      return `${name} has taken back a permission that is needed.`;
    case "expired":
      return "The access has ended, and it cannot be renewed.";
    case "client_changed":
      return `An administrator has changed how this server signs in at ${name}.`;
    case "unreadable":
      return "The server can no longer read the access it kept.";
    default:
      return "The access no longer works.";
  }
}
