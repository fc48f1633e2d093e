import type { Area } from "../area";

export const area: Area = {
  id: "signing-keys",
  group: "installation",
  position: 20,
  icon: "key",
  path: "/signing-keys",
  route: "GET /signing-keys",
  shortcut: "k",
  texts: ["keys", "connector-keys"],
  screens: [
    { path: "/signing-keys", load: () => import("./key-list") },
    { path: "/connector-keys", load: () => import("./connector-key-list") },
  ],
  actions: [
    {
      text: "palette.areas.signing-keys.connectorKeys",
      route: "GET /connector-keys",
      path: "/connector-keys",
    },
  ],
};
