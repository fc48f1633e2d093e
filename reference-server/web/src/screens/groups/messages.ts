import { de } from "../../messages/de/groups";
import { en } from "../../messages/en/groups";

export const messages = { en, de };
