import type { AppHost, AppPolicy } from "@admin/app-hosts";
import type { Area } from "../area";
import { filtersIn, screenPath } from "../../address/links";

export const area: Area = {
  id: "app-hosts",
  group: "people",
  position: 50,
  icon: "host",
  path: "/app-hosts",
  route: "GET /app-hosts",
  shortcut: "h",
  texts: ["app-hosts"],
  waiting: { item: "/app-policy", count: ({ asked }: AppPolicy) => asked, text: "shell.waiting.hosts" },
  screens: [
    {
      path: "/app-hosts",
      load: () => import("./host-list"),
      asks: (search) => ({
        list: "/app-hosts",
        defaultSort: "name",
        filters: filtersIn(search, "allowed"),
      }),
    },
    { path: "/app-hosts/policy", load: () => import("./policy") },
    { path: "/app-hosts/new", load: () => import("./host-create") },
    { path: "/app-hosts/hosts/$host", load: () => import("./host-edit") },
  ],
  actions: [
    { text: "palette.areas.app-hosts.allow", route: "POST /app-hosts", path: "/app-hosts/new" },
    { text: "palette.areas.app-hosts.policy", route: "GET /app-policy", path: "/app-hosts/policy" },
  ],
  search: {
    list: "/app-hosts",
    toHit: ({ host, name }: AppHost) => ({
      title: name,
      detail: host,
      path: screenPath("app-hosts", "hosts", host),
    }),
  },
};
