/** A push that a provider keeps for a device that is off: its number in the record, and the key under which a newer push replaces it. */
export type Kept = { seq: number; key: string | undefined }

/** With `keys`, how many pushes of different keys are kept. With `others`, how many without a key: one more, and all of those are gone. */
export type KeptAtMost = { keys: number; others: number }

/**
 * APNs keeps one push for each app, in most cases the latest
 * (developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns, November 2026).
 */
export const keptByApns: KeptAtMost = { keys: 1, others: 0 }
/**
 * FCM keeps four collapse keys, nobody knows which, and 100 messages without one, or none of those when there are more
 * (firebase.google.com/docs/cloud-messaging/customize-messages/collapsible-message-types, November 2026). Chrome's push service, which is FCM, keeps
 * four topics (webpush-wg/webpush-protocol#62).
 */
export const keptByFcm: KeptAtMost = { keys: 4, others: 100 }

/** Gives what is kept when one more push comes to a device that is off. */
export function keepOneMore(kept: readonly Kept[], push: Kept, atMost: KeptAtMost): Kept[] {
  const others = kept.filter(({ key }) => key === undefined || key !== push.key)
  const [keyed, keyless] = [others.filter(({ key }) => key !== undefined), others.filter(({ key }) => key === undefined)]
  if (push.key === undefined) return keyless.length < atMost.others ? [...others, push] : keyed
  const dropped = keyed.length < atMost.keys ? undefined : keyed[0]
  return [...others.filter((one) => one !== dropped), push]
}
