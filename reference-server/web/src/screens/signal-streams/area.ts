import type { SignalStream } from "@admin/signal-streams";
import type { Area } from "../area";
import { screenPath } from "../../address/links";

export const area: Area = {
  id: "signal-streams",
  group: "installation",
  position: 15,
  icon: "signal",
  path: "/signal-streams",
  route: "GET /signal-streams",
  texts: ["signal-streams"],
  screens: [
    {
      path: "/signal-streams",
      load: () => import("./stream-list"),
      asks: () => ({ list: "/signal-streams", defaultSort: "name" }),
    },
    { path: "/signal-streams/new", load: () => import("./stream-create") },
    { path: "/signal-streams/$key", load: () => import("./stream-edit") },
  ],
  actions: [
    { text: "palette.areas.signal-streams.add", route: "POST /signal-streams", path: "/signal-streams/new" },
  ],
  search: {
    list: "/signal-streams",
    toHit: ({ key, name, transmitter }: SignalStream) => ({
      title: name,
      detail: transmitter,
      path: screenPath("signal-streams", key),
    }),
  },
};
