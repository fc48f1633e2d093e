export const en = {
  title: "Overview",
  good: (name: string) => `${name} is working. Nothing needs your attention.`,
  steps: (name: string, count: number) =>
    count === 1 ? `${name} is working. One step is left.` : `${name} is working. ${count} steps are left.`,
  attention: (count: number) =>
    count === 1 ? "One thing needs your attention." : `${count} things need your attention.`,
  newest: "The newest event was",
  notCounted: "Requests are counted a few seconds after they happened. None has been yet.",
  facts: {
    people: "People",
    resources: "Services",
    scopes: "Scopes",
    assignments: "Assignments",
    providers: "Sign-in providers",
    skills: "Own skills",
  },
  next: "What to do next",
  hints: {
    add_provider: {
      title: "Add a sign-in provider",
      detail: "Nobody can sign in without one.",
      button: "Add a provider",
    },
    rotate_signing_key: {
      title: "Rotate the signing key",
      detail: "It has signed for a long time. While you rotate it, no request is refused.",
      button: "See the keys",
    },
    restore_connector_key: {
      title: "A key of connectors is missing",
      detail:
        "Secrets or tokens were encrypted with a key that this server does not have. They cannot be used.",
      button: "See the keys",
    },
    repair_connectors: {
      title: "At some connectors most accounts have to be connected again",
      detail: "Perhaps the client id or the secret there is no longer valid.",
      button: "See the connectors",
    },
    repair_catalogs: {
      title: "Some skill catalogs cannot be fetched",
      detail: "Agents read the last good copy of these services, or nothing.",
      button: "See the catalogs",
    },
    add_resource: {
      title: "Register your first service",
      detail: "Paste its address. What it publishes is read and checked.",
      button: "Register a service",
    },
    assign_log_in: {
      title: "Let people use the command line",
      detail: "Nobody has authz:login yet. Give it to a group or to people.",
      button: "Give authz:login",
    },
    assign_scopes: {
      title: "Give people access to your services",
      detail: "Services are registered, and nobody has a scope of theirs yet.",
      button: "Give permissions",
    },
    add_administrator: {
      title: "Name a second administrator",
      detail: "One person alone can be away when something has to be done.",
      button: "Name one",
    },
    name_installation: {
      title: "Name this installation",
      detail: "People see the name when they sign in. Add a logo as well.",
      button: "Open the settings",
    },
  },
  requests: "Requests",
  range: "Period",
  hours: "24 hours",
  days: "30 days",
  issued: "Issued",
  denied: "Denied",
  asChart: "Show as a chart",
  asTable: "Show as a table",
  quietLeftOut: "Times without requests are left out.",
  hour: "Hour",
  day: "Day (UTC)",
  summary: (issued: string, denied: string) => `${issued} issued, ${denied} denied.`,
  nothingHours: "Nobody asked for anything in the last 24 hours.",
  nothingDays: "Nobody asked for anything in the last 30 days.",
  showDenied: "See what was denied",
  chartLoading: "The chart is loading…",
  topResources: "Services used most",
  topSkills: "Skills read most",
  lastDays: "In the last 30 days",
  noResources: "No service was used yet. As soon as somebody runs a request, the services stand here.",
  noSkills: "No agent has read a skill yet.",
  unregistered: "not registered any more",
  times: (count: string) => `${count} times`,
  catalogs: "Skill catalogs",
  noCatalogs: "No service publishes skills yet. A service that does is fetched every few minutes.",
  catalogsFine: (total: string) =>
    total === "1" ? "The one there is, is fresh." : `All ${total} are fresh.`,
  catalogsSome: (fresh: string, total: string) => `${fresh} of ${total} are fresh.`,
  catalogsPending: (count: string) =>
    count === "1" ? "One is fetched for the first time." : `${count} are fetched for the first time.`,
  seeCatalogs: "See all",
  keys: "Signing keys",
  keyAge: (days: number, text: string) =>
    days === 0
      ? "The active key has signed since today."
      : days === 1
        ? "The active key has signed since yesterday."
        : `The active key has signed for ${text} days.`,
  keyFine: "Rotation is not due.",
  noKey: "No key is active. Nothing can be issued.",
  seeKeys: "See the keys",
};
