import type { Platform } from '@herald/contracts/platform'

type Names = Readonly<Record<Platform, string>>

/** The name of the provider to which the pushes of a platform go. */
export const providerNames: Names = { ios: 'APNs', android: 'FCM', web: 'Web Push' }

/** What answers a push to a device of a platform: APNs, FCM, or the push service of the browser. */
export const answererNames: Names = { ios: 'APNs', android: 'FCM', web: 'Its push service' }

/** The name of a device that has reported neither its model nor its browser. */
export const unknownDeviceNames: Names = { ios: 'iOS device', android: 'Android device', web: 'Browser' }

/** The name of a virtual device in the inbox. */
export const virtualDeviceNames: Names = { ios: 'iPhone', android: 'Android phone', web: 'Browser' }
