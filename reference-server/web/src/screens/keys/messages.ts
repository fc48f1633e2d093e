import { de as deConnectorKeys } from "../../messages/de/connector-keys";
import { de } from "../../messages/de/keys";
import { en as enConnectorKeys } from "../../messages/en/connector-keys";
import { en } from "../../messages/en/keys";

export const messages = { en, de };
export const connectorKeyMessages = { en: enConnectorKeys, de: deConnectorKeys };
