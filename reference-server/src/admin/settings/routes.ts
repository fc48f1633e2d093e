import { LogoError, maximumLogoBytes, readLogo } from "../../pages/branding/read-logo.js";
import type { Logo } from "../../store/settings.js";
import { AdminError } from "../http/admin-error.js";
import { defineRoute } from "../http/define-route.js";
import type { Upload } from "../door/requests.js";
import type { AdminArea } from "../http/route.js";
import { changeLogo, changeSettings } from "./change-settings.js";
import { settingsSchema, updateSettingsSchema } from "./schemas.js";
import { loadSettings } from "./show-settings.js";

const getSettings = defineRoute({
  method: "GET",
  path: "/settings",
  summary: "Show the settings of the installation",
  answer: settingsSchema,
  handle: (_input, { store }) => loadSettings(store),
});

const patchSettings = defineRoute({
  method: "PATCH",
  path: "/settings",
  summary: "Change the name of the installation, or what agents are told",
  ifMatch: true,
  body: updateSettingsSchema,
  answer: settingsSchema,
  handle: async ({ body, version }, { change }) =>
    await change((work) => changeSettings({ change: body, version }, work)),
});

const putLogo = defineRoute({
  method: "PUT",
  path: "/settings/logo",
  summary: "Store the logo",
  description:
    "A PNG, or an SVG of shapes, text and paints. Anything that could run or load something is refused, not repaired.",
  ifMatch: true,
  upload: { contentTypes: ["image/png", "image/svg+xml"], maxBytes: maximumLogoBytes },
  answer: settingsSchema,
  errors: ["payload_too_large"],
  handle: async ({ version }, { change, upload }) => {
    const logo = takeLogo(upload);
    return await change((work) => changeLogo({ logo, version }, work));
  },
});

const deleteLogo = defineRoute({
  method: "DELETE",
  path: "/settings/logo",
  summary: "Go back to the letter",
  ifMatch: true,
  answer: settingsSchema,
  handle: async ({ version }, { change }) =>
    await change((work) => changeLogo({ logo: null, version }, work)),
});

function takeLogo(upload: Upload | undefined): Logo {
  if (upload === undefined) throw new Error("The route takes a file.");
  try {
    return readLogo(upload.bytes, upload.contentType);
  } catch (error) {
    if (!(error instanceof LogoError)) throw error;
    throw new AdminError("invalid_request", ({ below }) => below(error.message));
  }
}

/** What is set for the whole installation. */
export function settingsArea(): AdminArea {
  return {
    tag: "Settings",
    description: "The name, the logo, and what agents are told.",
    routes: [getSettings, patchSettings, putLogo, deleteLogo],
  };
}
