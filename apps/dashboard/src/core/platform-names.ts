/** Platforms as people call them. */
export const platformNames = { ios: 'iOS', android: 'Android', web: 'Web' } as const
export type PlatformName = keyof typeof platformNames

/** The provider that pushes of a platform go to. */
export const providerNames = { ios: 'APNs', android: 'FCM', web: 'Web Push' } as const
