import type { Settings } from "../../store/settings.js";
import type { Message } from "../../text/message.js";
import type { ChangeReach } from "../door/call.js";
import { note } from "../door/note.js";

/** Says in a preview who will read something else. */
export function reachOfSettings(): ChangeReach {
  let before: Settings | undefined;
  return {
    scopes: async (store) => {
      before = await store.settings.get();
      return [];
    },
    notes: async (store) => (before === undefined ? [] : describeChange(before, await store.settings.get())),
  };
}

function describeChange(before: Settings, after: Settings): readonly Message[] {
  return [
    ...(before.installationName === after.installationName
      ? []
      : [note("nameOther", { before: before.installationName, after: after.installationName })]),
    ...(before.instructions === after.instructions
      ? []
      : [note(after.instructions === null ? "instructionsGone" : "instructionsNew", {})]),
    ...(before.logo !== null && after.logo === null ? [note("logoGone", {})] : []),
  ];
}
