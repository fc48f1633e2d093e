export { type DevIdp, type DevIdpOptions, startDevIdp } from "./dev-idp.js";
export type { Disturbance } from "./disturbance.js";
export type { AssertionAudience } from "./assertions.js";
export { developmentPeople, type Person } from "./people.js";
export type { DevIdpClient } from "./provider.js";
export { type DevIdpSecrets, generateSecrets, loadSecrets } from "./secrets.js";
