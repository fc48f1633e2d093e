import { isOtherClient } from "../../registry/connector.js";
import { originsOf } from "../../connectors/refresh/stored-tokens.js";
import type { ConnectionCounts } from "../../store/connections.js";
import type { ConnectorFields, ListedConnector } from "../../store/connectors.js";
import type { ChangeReach } from "../door/call.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";

/** What a change of a connector means for the people who have an account connected. */
export function reachOfConnector(key: string): ChangeReach {
  let before: ListedConnector | undefined;
  return {
    // No scope of this installation changes hands; this is called before the change, and remembers the state then.
    scopes: async (store) => {
      before = await store.connectors.describe(key);
      return [];
    },
    notes: async (store) => {
      const after = await store.connectors.describe(key);
      return before === undefined || after === undefined ? [] : describeChange(before, after);
    },
  };
}

/** What disconnecting all accounts means. */
export function reachOfDisconnecting(key: string): ChangeReach {
  let people = 0;
  return {
    scopes: async (store) => {
      const found = await store.connectors.describe(key);
      people = found === undefined ? 0 : countPeople(found.connections);
      return [];
    },
    notes: async () => [note("disconnected", { people })],
  };
}

/** No notes without connections: no one notices the change. */
function describeChange(
  before: Omit<ConnectorFields, "clientSecret"> & { readonly connections: ConnectionCounts },
  after: Omit<ConnectorFields, "clientSecret">,
): readonly Message[] {
  const people = countPeople(before.connections);
  if (people === 0) return [];
  const { connected } = before.connections;
  const prefixes = addedTo(after.requestPrefixes, before.requestPrefixes);
  const origins = addedTo(
    originsOf({ ...after, accountEndpoint: null, revocationEndpoint: null }),
    originsOf(before),
  );
  const methods = addedTo(after.methods, before.methods);
  const scopes = addedTo(after.requiredScopes, before.requiredScopes);
  const mandatory = addedTo(mandatoryOf(after), mandatoryOf(before));
  const notes: (Message | false)[] = [
    note("connectionsCount", { people }),
    before.enabled && !after.enabled && note("connectionsStop", { people }),
    connected > 0 && isOtherClient(before, after) && note("connectAgain", { people: connected }),
    prefixes.length > 0 && note("newAddresses", { prefixes }),
    connected > 0 && origins.length > 0 && note("newOrigins", { origins }),
    methods.length > 0 && note("newMethods", { methods }),
    scopes.length > 0 && note("newRequirements", { scopes }),
    mandatory.length > 0 && note("newMandatory", { scopes: mandatory }),
  ];
  return notes.filter((item) => item !== false);
}

function countPeople({ connected, reconnectRequired }: ConnectionCounts): number {
  return connected + reconnectRequired;
}

function addedTo(after: readonly string[], before: readonly string[]): readonly string[] {
  return after.filter((item) => !before.includes(item));
}

function mandatoryOf({ scopes }: Pick<ConnectorFields, "scopes">): readonly string[] {
  return scopes.filter(({ required }) => required).map(({ scope }) => scope);
}
