import type { AuditVerification } from "@admin/audit";
import { useEffect, useRef, useState } from "react";
import { request } from "../../api/request";

export interface Verification {
  readonly state: "idle" | "working" | "done" | "stopped" | "failed";
  readonly events: number;
  readonly seals: number;
  readonly unsealed: number;
  readonly faults: AuditVerification["faults"];
  readonly head: AuditVerification["head"];
  readonly error?: unknown;
}

const nothing: Verification = { state: "idle", events: 0, seals: 0, unsealed: 0, faults: [], head: null };

/** Compares the trail with its seals, part after part, until the end or until somebody stops it. */
export function useVerification() {
  const [verification, setVerification] = useState(nothing);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const { signal } = control;
    let sum: Verification = { ...nothing, state: "working" };
    setVerification(sum);
    try {
      let after: number | undefined;
      do {
        // oxlint-disable-next-line no-await-in-loop -- each part continues the one before
        const part = await request<AuditVerification>("/audit-events/verification", {
          query: { after },
          signal,
        });
        sum = add(sum, part);
        after = part.nextAfter ?? undefined;
        setVerification(sum);
      } while (after !== undefined);
      setVerification({ ...sum, state: "done" });
    } catch (error) {
      setVerification(signal.aborted ? { ...sum, state: "stopped" } : { ...sum, state: "failed", error });
    }
  };

  return { verification, start, stop: () => running.current?.abort() };
}

function add(sum: Verification, part: AuditVerification): Verification {
  return {
    ...sum,
    events: sum.events + part.checkedEvents,
    seals: sum.seals + part.checkedSeals,
    unsealed: part.unsealedEvents,
    faults: [...sum.faults, ...part.faults],
    head: part.head ?? sum.head,
  };
}
