import { z } from "zod";
import { issue } from "./check.js";
import { text } from "./fields.js";
import { means } from "./object.js";

/** What administrators decided about a host that apps come from. */
export const appHostRules = z.strictObject({
  /** ASCII, lower case, with a port only where it is not 443: as in a URL. */
  host: means(
    z.string().max(260).refine(isHost, issue("appHost")),
    "In punycode, with its port unless that is 443",
  ),
  name: means(text, "The name people know it by"),
  allowed: means(z.boolean().default(true), "false: refused, even while apps from any host are allowed"),
});

function isHost(value: string): boolean {
  return URL.canParse(`https://${value}`) && new URL(`https://${value}`).host === value;
}
