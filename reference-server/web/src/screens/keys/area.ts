import type { Area } from "../../app/area";

export const keysArea: Area = {
  id: "signing-keys",
  group: "installation",
  icon: "key",
  path: "/signing-keys",
  shortcut: "k",
  labels: {
    en: { title: "Signing keys", keywords: "rotation jwks key set" },
    de: { title: "Signaturschlüssel", keywords: "Rotation Wechsel Schlüsselsatz JWKS" },
  },
  screens: [{ path: "/signing-keys", load: () => import("./key-list") }],
};
