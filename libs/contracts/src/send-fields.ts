import { z } from 'zod'
import { Content } from './content.ts'
import { Overrides } from './overrides.ts'
import { CategoryId, isStorable, line, ObjectId, countCodePoints } from './text.ts'

/** Four weeks, in seconds: the longest ttl that FCM accepts. */
export const maxTtlSeconds = 2_419_200
/**
 * The time to live, in seconds, of a send for which the sender gives none. The operator can set another default with DEFAULT_TTL_SECONDS
 * (spec: sending/ttl).
 */
export const defaultTtlSeconds = maxTtlSeconds

const maxDataKeys = 50
const maxDataBytes = 3072
/** Keys that the caller's data may not have: in a payload they stand beside the data and mean something else. `__proto__` would set an object's prototype. */
const reservedDataKeys = new Set(['aps', 'herald', 'msgId', 'from', 'gcm', 'message_type', 'collapse_key', '__proto__'])

/** Says why a text may not be a key of `data`; undefined when it may. */
function whyNotDataKey(key: string): string | undefined {
  if (reservedDataKeys.has(key) || /^(?:google|gcm)\./i.test(key)) return 'is a reserved key; choose another'
  if (key === '' || !isStorable(key) || countCodePoints(key) > 64) return 'must have a key of 1 to 64 characters'
  return undefined
}

/**
 * The caller's values beside the notification: texts by key. There may be at most 50 keys, and keys and values together may have at most 3072 bytes
 * of UTF-8.
 */
export const CustomData = z.record(z.string(), z.string()).superRefine((data, context) => {
  let bytes = 0
  for (const [key, value] of Object.entries(data)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    const wrongKey = whyNotDataKey(key)
    if (wrongKey !== undefined) context.addIssue({ code: 'custom', message: wrongKey, path: [key] })
    else if (!isStorable(value) || countCodePoints(value) > 1024) {
      context.addIssue({ code: 'custom', message: 'must be at most 1024 characters of well-formed text', path: [key] })
    }
  }
  if (Object.keys(data).length > maxDataKeys) context.addIssue({ code: 'custom', message: `must hold at most ${maxDataKeys} keys` })
  if (bytes > maxDataBytes)
    context.addIssue({ code: 'custom', message: `must be at most ${maxDataBytes} bytes in all, keys and values; it is ${bytes}` })
})
export type CustomData = z.output<typeof CustomData>

/** How a notification looks and sounds, on platforms that support the setting. */
export const Presentation = z
  .strictObject({
    sound: line(1, 255).optional(),
    badge: z.int().min(0).max(99_999).optional(),
    badgeIncrement: z.int().min(1).max(1000).optional(),
    threadId: line(1, 255).optional(),
    icon: line(1, 2048).optional(),
    interruptionLevel: z.enum(['passive', 'active', 'time-sensitive', 'critical']).optional(),
    relevanceScore: z.number().min(0).max(1).optional(),
    channelId: line(1, 255).optional(),
  })
  .refine(({ badge, badgeIncrement }) => badge === undefined || badgeIncrement === undefined, {
    message: 'must not be given together with badge',
    path: ['badgeIncrement'],
  })
export type Presentation = z.output<typeof Presentation>

export const Priority = z.enum(['high', 'normal'])
export type Priority = z.output<typeof Priority>

/** How many pushes a minute a send hands to the providers for the first time, at most (spec: sending/rate). */
export const SendRate = z.strictObject({ perMinute: z.int().min(60).max(6_000_000) })
export type SendRate = z.output<typeof SendRate>

/** The delivery rules that a send disregards. */
export const Bypass = z.strictObject({
  frequencyCap: z.boolean().optional(),
  quietHours: z.boolean().optional(),
  holdout: z.boolean().optional().meta({ description: 'A notification reaches who is held out in any case.' }),
})
export type Bypass = z.output<typeof Bypass>

/**
 * The fields that notifications, campaigns, tests and templates have in common (spec: sending/data, sending/ttl, sending/collapse-id,
 * sending/priority, sending/presentation, sending/overrides, categories/sends).
 */
export const deliveryFields = {
  silent: z.boolean().optional(),
  data: CustomData.optional(),
  ttl: z
    .int({ error: (issue) => (issue.input === undefined ? undefined : `must be a whole number of seconds from 0 to ${maxTtlSeconds}`) })
    .min(0)
    .max(maxTtlSeconds, `must be at most ${maxTtlSeconds} seconds (4 weeks)`)
    .optional(),
  collapseId: line(1, 64).optional(),
  priority: Priority.optional(),
  presentation: Presentation.optional(),
  overrides: Overrides.optional(),
  category: CategoryId.optional(),
  sendRate: SendRate.optional(),
}

/** All send fields: what a notification, a campaign and a test take. Spread them into a strict object and add the check `contentRequired`. */
export const sendFields = {
  content: Content.optional(),
  templateId: ObjectId.optional(),
  ...deliveryFields,
  inbox: z.boolean().optional(),
  bypass: Bypass.optional(),
}

/**
 * Checks that content, templateId or `silent: true` is given, and that a silent send has no inbox. For `superRefine` on an object with the send
 * fields.
 */
export function contentRequired(
  send: { content?: unknown; templateId?: unknown; silent?: boolean | undefined; inbox?: boolean | undefined },
  context: z.RefinementCtx,
): void {
  if (send.inbox === true && send.silent === true)
    context.addIssue({ code: 'custom', message: 'must not be given together with silent, which shows nothing', path: ['inbox'] })
  if (send.content === undefined && send.templateId === undefined && send.silent !== true) {
    context.addIssue({ code: 'custom', message: 'is required unless templateId or silent: true is given', path: ['content'] })
  }
}

/** The send fields alone, without a target. */
export const SendFields = z.strictObject(sendFields).superRefine(contentRequired)
export type SendFields = z.output<typeof SendFields>
