import { useMay } from "../api/session";
import type { Area } from "../screens/area";
import { areas } from "./areas";

/** The areas that the person may use. */
export function useAreas(): readonly Area[] {
  const may = useMay();
  return areas.filter(({ route }) => may(route));
}
