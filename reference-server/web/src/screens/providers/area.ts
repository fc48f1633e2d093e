import type { IdentityProvider } from "@admin/identity-providers";
import type { Area } from "../area";
import { screenPath } from "../../address/links";

export const area: Area = {
  id: "identity-providers",
  group: "installation",
  position: 10,
  icon: "provider",
  path: "/identity-providers",
  route: "GET /identity-providers",
  shortcut: "i",
  texts: ["providers"],
  screens: [
    {
      path: "/identity-providers",
      load: () => import("./provider-list"),
      asks: () => ({ list: "/identity-providers", defaultSort: "name" }),
    },
    { path: "/identity-providers/new", load: () => import("./provider-create") },
    { path: "/identity-providers/$key", load: () => import("./provider-edit") },
  ],
  actions: [
    {
      text: "palette.areas.identity-providers.add",
      route: "POST /identity-providers",
      path: "/identity-providers/new",
    },
  ],
  search: {
    list: "/identity-providers",
    toHit: ({ key, name, issuer }: IdentityProvider) => ({
      title: name,
      detail: issuer,
      path: screenPath("identity-providers", key),
    }),
  },
};
