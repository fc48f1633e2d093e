import { de } from "../../messages/de/scopes";
import { en } from "../../messages/en/scopes";

export const messages = { en, de };
