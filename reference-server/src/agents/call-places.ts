import { MessageError, messageErrors } from "./message-error.js";

/** Of one grant, in this process. More than a host with several agents has on its way, and far from what a process can take. */
const mostPerGrant = 32;

/** Takes a place for as long as a request is answered; the result gives it back. @throws {MessageError} 429 */
export type TakeCallPlace = (grantId: string) => () => void;

/** Creates the places: slow calls of one signed-in app never keep everybody else out. */
export function createCallPlaces(most: number = mostPerGrant): TakeCallPlace {
  const used = new Map<string, number>();
  return (grantId) => {
    const own = used.get(grantId) ?? 0;
    if (own >= most) {
      const message = `${String(most)} requests from this app are in progress. Wait for one to finish.`;
      throw new MessageError(429, messageErrors.internal, message);
    }
    used.set(grantId, own + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = (used.get(grantId) ?? 1) - 1;
      if (left === 0) used.delete(grantId);
      else used.set(grantId, left);
    };
  };
}
