import { z } from 'zod'
import { Content } from './content.ts'
import { ObjectId } from './text.ts'

/** A campaign that began longer ago than this many days is not recalled: no provider keeps a push for longer (`maxTtlSeconds`). */
export const recallDays = 28

/** What the follow-up of a recall asks a device to do with the notification that it shows. */
export const recallModes = ['replace', 'dismiss'] as const
export type RecallMode = (typeof recallModes)[number]

/**
 * The body of POST …/campaigns/:id/recall (spec: recall/modes, recall/body). `stop`: cancel only. `replace`, `dismiss`: cancel what is unsent, then send
 * a follow-up to the devices that got the campaign.
 */
export const Recall = z
  .strictObject({
    mode: z.enum(['stop', ...recallModes]).meta({
      description:
        '`stop`: only cancel what is unsent. `replace`: also ask devices to show `content` in place of the notification. `dismiss`: also ask devices to remove it.',
    }),
    content: Content.optional(),
    templateId: ObjectId.optional().meta({ description: 'With `replace`, instead of `content`: the template gives its content.' }),
    skipOpened: z
      .boolean()
      .optional()
      .meta({ description: 'True if left out: devices that reported the notification opened are not asked.' }),
  })
  .superRefine(({ mode, content, templateId, skipOpened }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', message, path: [path] })
    if (mode === 'replace') {
      if (content === undefined && templateId === undefined) refuse('content', 'is required with mode replace unless templateId is given')
      if (content !== undefined && templateId !== undefined) refuse('templateId', 'must not be given together with content')
      return
    }
    if (content !== undefined) refuse('content', 'must be given with mode replace only')
    if (templateId !== undefined) refuse('templateId', 'must be given with mode replace only')
    if (mode === 'stop' && skipOpened !== undefined) refuse('skipOpened', 'must not be given with mode stop, which asks no device')
  })
export type Recall = z.output<typeof Recall>

/**
 * What the follow-up of a recall needs to carry the identity of the first pushes. `of`: the first campaign. `variants`: those of its experiment, since
 * a msgId names the variant; null without one.
 */
export type FrozenRecall = { of: string; mode: RecallMode; variants: { id: string; weight: number }[] | null }
