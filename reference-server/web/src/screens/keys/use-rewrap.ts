import type { ConnectorKeyRewrap } from "@admin/connector-keys";
import { useEffect, useRef, useState } from "react";
import { useForget } from "../../api/queries";
import { request } from "../../api/request";

export interface Rewrap {
  readonly state: "idle" | "working" | "done" | "stopped" | "failed";
  /** How many are under the active key since this began. */
  readonly rewrapped: number;
  /** How many there are still; unknown before the first batch. */
  readonly remaining: number | undefined;
  readonly unreadable: number;
  readonly error?: unknown;
}

const nothing: Rewrap = { state: "idle", rewrapped: 0, remaining: undefined, unreadable: 0 };

/**
 * Puts what older keys protect under the active one, batch after batch, until nothing readable is left or somebody stops
 * it. A batch that was sent is finished by the server; the next start goes on where this one ended.
 */
export function useRewrap() {
  const forget = useForget();
  const [rewrap, setRewrap] = useState(nothing);
  const goesOn = useRef(false);
  useEffect(
    () => () => {
      goesOn.current = false;
    },
    [],
  );

  const start = async () => {
    if (goesOn.current) return;
    goesOn.current = true;
    let sum: Rewrap = {
      ...nothing,
      state: "working",
      rewrapped: rewrap.state === "done" ? 0 : rewrap.rewrapped,
    };
    setRewrap(sum);
    try {
      let left = true;
      while (left && goesOn.current) {
        // oxlint-disable-next-line no-await-in-loop -- each batch begins where the one before ended
        const batch = await request<ConnectorKeyRewrap>("/connector-keys/rewraps", { method: "POST" });
        const { rewrapped, remaining, unreadable } = batch;
        sum = { ...sum, rewrapped: sum.rewrapped + rewrapped, remaining, unreadable };
        setRewrap(sum);
        // A batch that changed nothing: somebody else works on the rest, or none of it can be read.
        left = remaining > 0 && rewrapped > 0;
      }
      setRewrap({ ...sum, state: left ? "stopped" : "done" });
    } catch (error) {
      setRewrap({ ...sum, state: "failed", error });
    } finally {
      goesOn.current = false;
      await forget("/connector-keys", "/connectors", "/connections", "/overview");
    }
  };

  const stop = () => {
    goesOn.current = false;
  };
  return { rewrap, start, stop };
}
