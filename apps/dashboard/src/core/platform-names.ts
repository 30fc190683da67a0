/** The names of the platforms as pages show them. */
export const platformNames = { ios: 'iOS', android: 'Android', web: 'Web' } as const
export type PlatformName = keyof typeof platformNames

/** The provider to which the pushes of each platform go. */
export const providerNames = { ios: 'APNs', android: 'FCM', web: 'Web Push' } as const
