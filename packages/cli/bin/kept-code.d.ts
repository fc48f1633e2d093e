export function keptCode(place: { folder: string | undefined; command: string }): {
  load: (file: string) => unknown;
  keep: () => void;
};
