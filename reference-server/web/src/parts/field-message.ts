import { useMessages } from "../messages/language";
import { partsMessages } from "../messages/parts";
import { fieldMessage } from "./field-words";

/** Returns `fieldMessage` with the texts of the person's language. */
export function useFieldMessage(): (message: string) => string {
  const { fields } = useMessages(partsMessages);
  return (message) => fieldMessage(message, fields);
}
