import { gzipSync } from "node:zlib";

/** A file of an archive. Its path has at most 150 characters, its name at most 100. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const block = 512;

/**
 * Packs files into a gzipped tar archive: regular files with mode 644, the same bytes for the same files.
 *
 * @see {@link https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html | POSIX pax, "ustar Interchange Format"}
 */
export function packArchive(files: readonly ArchivedFile[]): Uint8Array {
  const parts = files.flatMap(({ path, bytes }) => [
    header(path, bytes.length),
    bytes,
    Buffer.alloc((block - (bytes.length % block)) % block),
  ]);
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]));
}

function header(path: string, size: number): Buffer {
  const bytes = Buffer.alloc(block);
  const slash = path.length > 100 ? path.lastIndexOf("/") : -1;
  bytes.write(path.slice(slash + 1), 0);
  bytes.write(octal(0o644, 7), 100);
  bytes.write(octal(0, 7), 108);
  bytes.write(octal(0, 7), 116);
  bytes.write(octal(size, 11), 124);
  bytes.write(octal(0, 11), 136);
  // The checksum is computed with its own field as spaces.
  bytes.write(" ".repeat(8), 148);
  bytes.write("0", 156);
  bytes.write("ustar\u000000", 257);
  if (slash !== -1) bytes.write(path.slice(0, slash), 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${octal(sum, 6)}\0 `, 148);
  return bytes;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
