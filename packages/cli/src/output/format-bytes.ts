/** A size for people: `512 B`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  for (const unit of ["B", "kB", "MB"]) {
    if (size < 1000) return `${unit === "B" ? String(size) : size.toFixed(1)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(1)} GB`;
}
