import type { Platform } from '@herald/contracts/platform'

type Names = Readonly<Record<Platform, string>>

/** The provider to which the pushes of each platform go. */
export const providerNames: Names = { ios: 'APNs', android: 'FCM', web: 'Web Push' }

/** Who answers to a push to a device of each platform. */
export const answererNames: Names = { ios: 'APNs', android: 'FCM', web: 'Its push service' }

/** A device that has told neither its model nor its browser. */
export const unknownDeviceNames: Names = { ios: 'iOS device', android: 'Android device', web: 'Browser' }

/** The virtual devices of the inbox. */
export const virtualDeviceNames: Names = { ios: 'iPhone', android: 'Android phone', web: 'Browser' }
