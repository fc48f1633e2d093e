import type { Connector } from "@admin/connectors";
import type { Area } from "../../app/area";
import { screenPath } from "../../app/links";

export const connectorsArea: Area = {
  id: "connectors",
  group: "permissions",
  icon: "connector",
  path: "/connectors",
  shortcut: "x",
  labels: {
    en: {
      title: "Connectors",
      keywords: "third party connections accounts OAuth Google Microsoft Atlassian Jira GitHub Slack",
    },
    de: {
      title: "Konnektoren",
      keywords: "Drittanbieter Verbindungen Konten OAuth Google Microsoft Atlassian Jira GitHub Slack",
    },
  },
  screens: [
    { path: "/connectors", load: () => import("./connector-list") },
    { path: "/connectors/new", load: () => import("./connector-create") },
    { path: "/connectors/$key", load: () => import("./connector-edit") },
    { path: "/connectors/$key/connections", load: () => import("./connector-connections") },
    { path: "/connections", load: () => import("./connection-list") },
  ],
  actions: [
    { labels: { en: "Add a connector", de: "Konnektor hinzufügen" }, path: "/connectors/new" },
    {
      labels: { en: "Connected accounts of everybody", de: "Verbundene Konten aller Personen" },
      path: "/connections",
    },
  ],
  search: {
    list: "/connectors",
    toHit: ({ key, name }: Connector) => ({ title: name, detail: key, path: screenPath("connectors", key) }),
  },
};
