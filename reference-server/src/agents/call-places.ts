import { MessageError, messageErrors } from "./message-error.js";

/** Of one grant, in this process. More than a host with several agents has on its way, and far from what a process can take. */
const mostPerGrant = 32;

/** Takes so many places for as long as a request is answered; the result gives them back. @throws {MessageError} 429 */
export type TakeCallPlaces = (grantId: string, places: number) => () => void;

/** Creates the places: slow and long requests of one signed-in app never keep everybody else out. */
export function createCallPlaces(most: number = mostPerGrant): TakeCallPlaces {
  const used = new Map<string, number>();
  return (grantId, places) => {
    const own = used.get(grantId) ?? 0;
    if (own + places > most) {
      const message =
        "This app has as many or as long requests in progress as it may. Wait for one to finish.";
      throw new MessageError(429, messageErrors.internal, message);
    }
    used.set(grantId, own + places);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = (used.get(grantId) ?? places) - places;
      if (left === 0) used.delete(grantId);
      else used.set(grantId, left);
    };
  };
}
