import type { Area } from "../../app/area";

export const keysArea: Area = {
  id: "signing-keys",
  group: "installation",
  icon: "key",
  path: "/signing-keys",
  shortcut: "k",
  labels: {
    en: { title: "Keys", keywords: "signing rotation jwks key set encryption KEK re-wrap connector keys" },
    de: {
      title: "Schlüssel",
      keywords: "Signaturschlüssel Rotation Wechsel Schlüsselsatz JWKS Verschlüsselung KEK",
    },
  },
  screens: [
    { path: "/signing-keys", load: () => import("./key-list") },
    { path: "/connector-keys", load: () => import("./connector-key-list") },
  ],
  actions: [{ labels: { en: "Connector keys", de: "Schlüssel der Konnektoren" }, path: "/connector-keys" }],
};
