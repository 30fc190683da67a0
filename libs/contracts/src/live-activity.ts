import { z } from 'zod'
import { Content } from './content.ts'
import { refuseUnsendable } from './overrides.ts'
import { deliveryFields } from './send-fields.ts'
import { Target } from './target.ts'
import { Timestamp } from './text.ts'

// What Apple says of Live Activities is from "Starting and updating Live Activities with ActivityKit push notifications":
// https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications

/** A device has tokens for at most this many activities and types of attributes together (spec: activities/tokens). */
export const mostActivityTokens = 20
/**
 * The token of an activity goes this many hours after its last change: iOS ends an activity after 8 hours, and takes it off the Lock Screen 4 hours
 * later (Apple: Displaying live data with Live Activities).
 */
export const activityHours = 12
/**
 * A token for starting activities goes after this many days. Apple names no end of it but a newer token; another service keeps it as long
 * (https://help.aliyun.com/en/document_detail/2871404.html).
 */
export const startTokenDays = 90

const named = (what: string) =>
  z
    .string()
    .refine((name) => /^[A-Za-z0-9_.:-]{1,64}$/.test(name), `must be ${what}: 1 to 64 letters, digits or _ . : -`)
    .meta({ pattern: '^[A-Za-z0-9_.:-]{1,64}$' })
/** The caller's id of an activity, which any number of devices may have. */
export const ActivityId = named('the id of an activity')
/** The name of the app's type of attributes, as it is written in Swift. */
export const AttributesType = named('the name of a type of attributes')

/** A push token of ActivityKit, in the form of a device token. It is as secret as one. */
const ActivityToken = z
  .string()
  .refine((token) => /^[A-Za-z0-9_:-]{1,4096}$/.test(token), 'must be 1 to 4096 letters, digits or _ : -')
  .meta({ minLength: 1, maxLength: 4096 })
/** The body of PUT /v1/subscriptions/:id/activity-start-tokens/:attributesType. */
export const StartToken = z.strictObject({ token: ActivityToken })
/** The body of PUT /v1/subscriptions/:id/activities/:activityId. */
export const HeldActivity = z.strictObject({ attributesType: AttributesType, token: ActivityToken })

const Fields = z.record(z.string(), z.unknown()).superRefine((fields, context) => {
  refuseUnsendable(fields, [], (path, message) => context.addIssue({ code: 'custom', message, path }))
})

export const activityEvents = ['start', 'update', 'end'] as const
export type ActivityEvent = (typeof activityEvents)[number]

/** The body of POST /v1/live-activities. */
export const SendLiveActivity = z
  .strictObject({
    activityId: ActivityId,
    event: z.enum(activityEvents),
    target: Target.optional().meta({ description: 'Who gets the new activity; only to start. Update and end reach who has the activity.' }),
    attributesType: AttributesType,
    attributes: Fields.optional().meta({
      description: 'What never changes in the activity; only to start, under the names of the Swift type.',
    }),
    contentState: Fields.meta({ description: 'The state to show, as the Swift type `ContentState` decodes it.' }),
    alert: Content.optional().meta({ description: 'A text that lights up the device, by language; required to start.' }),
    staleAt: Timestamp.optional(),
    dismissAt: Timestamp.optional().meta({ description: 'When iOS takes the ended activity off the Lock Screen; only to end.' }),
    relevanceScore: z.number().min(0).max(1_000_000).optional(),
    priority: deliveryFields.priority.meta({ description: 'Start and end are high, an update is normal: iOS has a budget for high ones.' }),
    ttl: deliveryFields.ttl,
  })
  .superRefine((body, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', message, path: [path] })
    for (const field of ['target', 'attributes', 'alert'] as const)
      if (body.event === 'start' && body[field] === undefined) refuse(field, 'is required to start an activity')
    for (const field of ['target', 'attributes'] as const)
      if (body.event !== 'start' && body[field] !== undefined) refuse(field, 'is only for event: start')
    if (body.event !== 'end' && body.dismissAt !== undefined) refuse('dismissAt', 'is only for event: end')
  })
export type SendLiveActivity = z.output<typeof SendLiveActivity>

/** What a send tells an activity. `timestamp`: Unix seconds; it rises with each accepted send of the activity, and iOS keeps the newest. */
export type LiveActivity = Pick<
  SendLiveActivity,
  'activityId' | 'event' | 'attributesType' | 'attributes' | 'contentState' | 'staleAt' | 'dismissAt' | 'relevanceScore'
> & { timestamp: number }

/** Which tokens a send goes to: those that start a type of activity, or those of an activity. */
export type ActivityTokens = { starts: boolean; name: string }
export const tokensOf = ({ event, attributesType, activityId }: LiveActivity): ActivityTokens =>
  event === 'start' ? { starts: true, name: attributesType } : { starts: false, name: activityId }

/** Whether a send also goes to devices that opted out: who has an activity on the screen expects it to be right, and iOS has a switch of its own. */
export const reachesOptedOut = (activity: LiveActivity | undefined): boolean => activity !== undefined && activity.event !== 'start'
