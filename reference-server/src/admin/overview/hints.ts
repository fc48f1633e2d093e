import type { Overview, OverviewHint } from "./schemas.js";
import type { InstallationCounts } from "../../store/installation.js";

/** The default name of an installation. */
const defaultName = "Authz";

interface Facts {
  readonly name: string;
  readonly counts: InstallationCounts;
  readonly catalogs: Overview["catalogs"];
  readonly keysNeedAttention: boolean;
  /** A staged key that has to be activated. */
  readonly keyWaits: boolean;
  /** Something of connectors was sealed with a key that this server does not have. */
  readonly connectorKeyMissing: boolean;
  /** Requested hosts that are undecided. */
  readonly askedAppHosts: number;
  /** Streams of security events that are failing or silent. */
  readonly brokenSignalStreams: number;
}

/** What to do next, the most important first; nothing when everything is in place. */
export function findHints(facts: Facts): OverviewHint[] {
  const { name, counts, catalogs, keysNeedAttention, keyWaits, connectorKeyMissing, askedAppHosts } = facts;
  const { brokenSignalStreams } = facts;
  const hints: (OverviewHint | false)[] = [
    counts.identityProviders === 0 && {
      id: "add_provider",
      title: "Add a sign-in provider",
      detail: "Nobody can sign in without one.",
      target: "/identity-providers/new",
    },
    keysNeedAttention && {
      id: "rotate_signing_key",
      title: "Rotate the signing key",
      detail: "The active key has signed for a long time. A rotation does not refuse any request.",
      target: "/signing-keys",
    },
    connectorKeyMissing && {
      id: "restore_connector_key",
      title: "Restore the key of connectors",
      detail: "Secrets or tokens were encrypted with a key that this server does not have.",
      target: "/connector-keys",
    },
    brokenSignalStreams > 0 && {
      id: "repair_signal_streams",
      title: "Look at the signals from your provider",
      detail: `Streams that are failing or silent: ${brokenSignalStreams}. A leaver's agent may keep working for longer.`,
      target: "/signal-streams",
    },
    counts.failingConnectors > 0 && {
      id: "repair_connectors",
      title: "Look at the connectors",
      detail: `At ${counts.failingConnectors} of them most accounts have to be connected again. Check the client id and secret.`,
      target: "/connectors",
    },
    catalogs.stale + catalogs.failed > 0 && {
      id: "repair_catalogs",
      title: "Look at the skill catalogs",
      detail: `${catalogs.stale + catalogs.failed} of ${catalogs.total} cannot be fetched. Agents see the last good copy, or nothing.`,
      target: "/catalogs?state=stale&state=failed",
    },
    askedAppHosts > 0 && {
      id: "decide_app_hosts",
      title: "Decide about apps that people asked for",
      detail: `Hosts that wait for a decision: ${askedAppHosts}. People who wanted an app from there were told to ask you.`,
      target: "/app-hosts",
    },
    keyWaits && {
      id: "activate_signing_key",
      title: "Activate the new signing key",
      detail:
        "It is published and signs nothing before somebody activates it, or has it activated automatically.",
      target: "/signing-keys",
    },
    counts.resources === 0 && {
      id: "add_resource",
      title: "Register your first service",
      detail: "Paste its address; what it publishes is read and checked.",
      target: "/resources/register",
    },
    counts.loginAssignments === 0 && {
      id: "assign_login",
      title: "Let people use the command line",
      detail: "Nobody has authz:login yet. Give it to a group or to people.",
      target: "/assignments/new?scope=authz%3Alogin",
    },
    counts.resources > 0 &&
      counts.ordinaryAssignments === 0 && {
        id: "assign_scopes",
        title: "Give people access to your services",
        detail: "Services are registered, and nobody has a scope of them yet.",
        target: "/assignments/new",
      },
    counts.administratorAssignments < 2 && {
      id: "add_administrator",
      title: "Name a second administrator",
      detail: "A single administrator may be away when something has to be done.",
      target: "/assignments/new?scope=authz%3Aadminister",
    },
    name === defaultName && {
      id: "name_installation",
      title: "Name the installation",
      detail: "People see the name when they sign in. Add a logo as well.",
      target: "/settings",
    },
  ];
  return hints.filter((hint) => hint !== false);
}
