import { createHash } from 'node:crypto'
import { z } from 'zod'

/** What an operator sets: the share of users who get no campaign, so that the others can be compared with them (spec: experiments/holdout). */
export const SetHoldout = z.strictObject({ percent: z.number().min(0.1).max(20) })

/** An app's hold-out. `since`: when it was switched on or drawn anew. `generation`: how often it was drawn. */
export const Holdout = z.object({
  percent: z.number(),
  since: z.string().meta({ format: 'date-time', description: 'When it was switched on or drawn anew.' }),
  generation: z.int().min(1).meta({ description: 'How often it was drawn.' }),
})
export type Holdout = z.output<typeof Holdout>

/** The text whose SHA-256 places a user, before the user's id. */
export const holdoutText = (appId: string, { generation }: Pick<Holdout, 'generation'>): string => `${appId}:holdout:${generation}:`

/**
 * Whether a user is held out. It follows from app, generation and user alone, so it is the same in every campaign; a larger share keeps everybody who
 * is in a smaller one.
 */
export const isHeldOut = (appId: string, holdout: Holdout, userId: string): boolean =>
  createHash('sha256')
    .update(`${holdoutText(appId, holdout)}${userId}`)
    .digest()
    .readUIntBE(0, 6) /
    2 ** 48 <
  holdout.percent / 100
