import { de } from "../../messages/de/resources";
import { en } from "../../messages/en/resources";

export const messages = { en, de };
