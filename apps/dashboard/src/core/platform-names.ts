import type { Platform } from '@herald/contracts/platform'

/** What the pages call a platform. */
export const platformNames: Record<Platform, string> = { ios: 'iOS', android: 'Android', web: 'Web' }
