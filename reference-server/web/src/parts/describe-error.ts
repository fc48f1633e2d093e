import { ApiError } from "../api/api-error";
import { useMessages } from "../messages/language";
import { partsMessages } from "../messages/parts";

/** Returns a function that says in words what went wrong. What the server said itself wins. */
export function useDescribeError(): (error: unknown) => string {
  const { errors } = useMessages(partsMessages);
  return (error) => {
    if (!(error instanceof ApiError)) return errors.server;
    if (error.status === 0) return errors.unreachable;
    if (error.code === "access_denied") return errors.forbidden;
    if (error.status === 429) return errors.tooMany;
    if (error.description !== "") return error.description;
    if (error.status === 404) return errors.notFound;
    return errors.server;
  };
}
