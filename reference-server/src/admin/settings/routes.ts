import { LogoError, maximumLogoBytes, readLogo } from "../../pages/branding/read-logo.js";
import type { Logo } from "../../store/settings.js";
import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { Upload } from "../door/requests.js";
import { Refusal } from "../../registry/refusal.js";
import { changeLogo, changeSettings, loadSettings, reachOfSettings } from "./change-settings.js";
import { settingsSchema, updateSettingsSchema } from "./schemas.js";

/** What is set for the whole installation. */
export const settingsArea: AdminArea = {
  tag: "Settings",
  description: "The name, the logo, and what agents are told.",
  async routes(app) {
    app.get(
      "/settings",
      {
        config: { access: auditors },
        schema: { summary: "Show the settings of the installation", response: { 200: settingsSchema } },
      },
      async ({ admin: { store } }) => await loadSettings(store),
    );

    app.patch(
      "/settings",
      {
        config: { access: administrators, ifMatch: true, preview: true },
        schema: {
          summary: "Change the name of the installation, or what agents are told",
          body: updateSettingsSchema,
          response: { 200: settingsSchema },
        },
      },
      async ({ body, admin: { change, version } }) =>
        await change((work) => changeSettings({ change: body, version }, work), reachOfSettings()),
    );

    app.put(
      "/settings/logo",
      {
        config: {
          access: administrators,
          ifMatch: true,
          upload: { contentTypes: ["image/png", "image/svg+xml"], maxBytes: maximumLogoBytes },
          errors: ["payload_too_large"],
        },
        schema: {
          summary: "Store the logo",
          description:
            "A PNG, or an SVG of shapes, text and paints. Anything that could run or load something is refused, not repaired.",
          response: { 200: settingsSchema },
        },
      },
      async ({ admin: { change, upload, version } }) => {
        const logo = takeLogo(upload);
        return await change((work) => changeLogo({ logo, version }, work));
      },
    );

    app.delete(
      "/settings/logo",
      {
        config: { access: administrators, ifMatch: true, preview: true },
        schema: { summary: "Remove the logo", response: { 200: settingsSchema } },
      },
      async ({ admin: { change, version } }) =>
        await change((work) => changeLogo({ logo: null, version }, work), reachOfSettings()),
    );
  },
};

function takeLogo(upload: Upload | undefined): Logo {
  if (upload === undefined) throw new Error("The route takes a file.");
  try {
    return readLogo(upload.bytes, upload.contentType);
  } catch (error) {
    if (!(error instanceof LogoError)) throw error;
    throw new Refusal("invalid_request", error.sentence);
  }
}
