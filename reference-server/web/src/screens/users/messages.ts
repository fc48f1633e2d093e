import { de } from "../../messages/de/users";
import { en } from "../../messages/en/users";

export const messages = { en, de };
