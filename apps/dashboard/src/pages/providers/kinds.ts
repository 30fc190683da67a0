/** Each provider's name, its platform, the devices that it reaches, and the credentials that it needs. */
export const kinds = {
  apns: { name: 'APNs', platform: 'ios', for: 'iPhones and iPads', file: 'the .p8 key from Apple' },
  fcm: { name: 'FCM', platform: 'android', for: 'Android', file: 'the service account of the Firebase project' },
  webpush: { name: 'Web Push', platform: 'web', for: 'browsers', file: 'a key pair, which is made for you' },
} as const
export type Kind = keyof typeof kinds
