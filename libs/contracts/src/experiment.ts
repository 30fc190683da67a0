import { createHash } from 'node:crypto'

/** Where a user lies in an experiment: two numbers of 0 to 1, exclusive. They follow from campaign and user alone. */
function placeOf(campaignId: string, userId: string): { sample: number; variant: number } {
  const digest = createHash('sha256').update(`${campaignId}:${userId}`).digest()
  // 48 bits each: a number holds them exactly, and two halves of one digest know nothing of each other.
  return { sample: digest.readUIntBE(0, 6) / 2 ** 48, variant: digest.readUIntBE(6, 6) / 2 ** 48 }
}

/** Whether a user belongs to the sample of an experiment; who does not is its remainder (spec: experiments/assignment). */
export const isInSample = (sampleRate: number, campaignId: string, userId: string): boolean =>
  sampleRate >= 1 || placeOf(campaignId, userId).sample < sampleRate

/**
 * The variant that a user gets: deterministic by (campaign, user), so that all devices of a user get one and a page fanned out twice
 * gives the same. Shares are the weights'. It says nothing of the sample: ask `isInSample`.
 */
export function variantOf<Variant extends { weight: number }>(variants: readonly Variant[], campaignId: string, userId: string): Variant {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  let left = placeOf(campaignId, userId).variant * total
  const chosen = variants.find(({ weight }) => (left -= weight) < 0) ?? variants.at(-1)
  if (!chosen) throw new TypeError('an experiment has at least two variants')
  return chosen
}
