import { ApiError } from "../api/api-error";
import { useText } from "../text/text";

/** Returns a function that describes an error, in the server's own words where it has any. */
export function useDescribeError(): (error: unknown) => string {
  const t = useText();
  return (error) => {
    if (!(error instanceof ApiError)) return t("parts.errors.server");
    if (error.status === 0) return t("parts.errors.unreachable");
    if (error.code === "access_denied") return t("parts.errors.forbidden");
    if (error.status === 429) return t("parts.errors.tooMany");
    if (error.description !== "") return error.description;
    if (error.status === 404) return t("parts.errors.notFound");
    return t("parts.errors.server");
  };
}
