/** Gives the reachable device that was registered last. */
export function newestDevice<Device extends { createdAt: string; optedIn: boolean; invalidatedAt: string | null }>(
  devices: readonly Device[],
): Device | undefined {
  return devices
    .filter(({ optedIn, invalidatedAt }) => optedIn && invalidatedAt === null)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0]
}
