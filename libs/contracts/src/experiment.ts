import { createHash } from 'node:crypto'

/** Gives two numbers for a user in an experiment, each at least 0 and below 1. They are computed from campaign and user alone. */
function placeOf(campaignId: string, userId: string): { sample: number; variant: number } {
  const digest = createHash('sha256').update(`${campaignId}:${userId}`).digest()
  // Each number is made of 48 bits of the digest, because a JavaScript number holds 48 bits exactly. The two numbers use different parts of the
  // digest, so they are independent of each other.
  return { sample: digest.readUIntBE(0, 6) / 2 ** 48, variant: digest.readUIntBE(6, 6) / 2 ** 48 }
}

/** Whether a user belongs to the sample of an experiment. All other users are its remainder (spec: experiments/assignment). */
export const isInSample = (sampleRate: number, campaignId: string, userId: string): boolean =>
  sampleRate >= 1 || placeOf(campaignId, userId).sample < sampleRate

/**
 * Chooses the variant of a user by campaign and user alone, so all devices of a user get the same, also in a repeated page. A variant's share is its
 * weight divided by the sum of all weights.
 */
export function variantOf<Variant extends { weight: number }>(variants: readonly Variant[], campaignId: string, userId: string): Variant {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  let left = placeOf(campaignId, userId).variant * total
  const chosen = variants.find(({ weight }) => (left -= weight) < 0) ?? variants.at(-1)
  if (!chosen) throw new TypeError('an experiment has at least two variants')
  return chosen
}
