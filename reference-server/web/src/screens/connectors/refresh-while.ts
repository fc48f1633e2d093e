import { useEffect, useRef } from "react";
import { useForget } from "../../api/queries";

/** Reads these paths again every few seconds while something happens on the server by itself. */
export function useRefreshWhile(active: boolean, paths: readonly string[]): void {
  const forget = useForget();
  const latest = useRef(() => forget(...paths));
  latest.current = () => forget(...paths);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => void latest.current(), 4000);
    return () => clearInterval(timer);
  }, [active]);
}
