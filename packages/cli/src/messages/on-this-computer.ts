/** Whether no other computer reaches an address, such as that of a development system. */
export function isOnThisComputer({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
