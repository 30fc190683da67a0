import { createHash } from 'node:crypto'

/** Where a user lies in an experiment: two numbers from 0 up to, but not including, 1. They follow from campaign and user alone. */
function placeOf(campaignId: string, userId: string): { sample: number; variant: number } {
  const digest = createHash('sha256').update(`${campaignId}:${userId}`).digest()
  // 48 bits each: a number holds them exactly, and two parts of one digest are independent of each other.
  return { sample: digest.readUIntBE(0, 6) / 2 ** 48, variant: digest.readUIntBE(6, 6) / 2 ** 48 }
}

/** Whether a user belongs to the sample of an experiment. All other users are its remainder (spec: experiments/assignment). */
export const isInSample = (sampleRate: number, campaignId: string, userId: string): boolean =>
  sampleRate >= 1 || placeOf(campaignId, userId).sample < sampleRate

/**
 * The variant that a user gets. It follows from campaign and user alone, so that all devices of a user get the same variant, also when a page is fanned
 * out twice. The weights are the shares. Whether the user is in the sample is for `isInSample` to say.
 */
export function variantOf<Variant extends { weight: number }>(variants: readonly Variant[], campaignId: string, userId: string): Variant {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  let left = placeOf(campaignId, userId).variant * total
  const chosen = variants.find(({ weight }) => (left -= weight) < 0) ?? variants.at(-1)
  if (!chosen) throw new TypeError('an experiment has at least two variants')
  return chosen
}
