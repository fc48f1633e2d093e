import { de as deConnections } from "../../messages/de/connections";
import { de } from "../../messages/de/connectors";
import { en as enConnections } from "../../messages/en/connections";
import { en } from "../../messages/en/connectors";

export const messages = { en, de };
export const connectionMessages = { en: enConnections, de: deConnections };
