import { de } from "../../messages/de/clients";
import { en } from "../../messages/en/clients";

export const messages = { en, de };
