import type { SkipReason } from '@herald/contracts/outcome'

/** What a queued push finds when it is taken: the device as it is now, or nothing. */
export type DeviceNow = { userId: string; optedIn: boolean; invalidated: boolean } | null

/**
 * Why a queued push is not sent after all, or null. Who owned the device when it was queued matters first: another person is
 * never shown this text (spec: tracking/owner-first).
 */
export function whySkipped(queuedFor: string, device: DeviceNow): SkipReason | null {
  if (!device) return 'deleted'
  if (device.userId !== queuedFor) return 'owner_changed'
  if (device.invalidated) return 'invalidated'
  return device.optedIn ? null : 'opted_out'
}
