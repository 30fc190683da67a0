import type { LocaleEntry } from '@herald/contracts/content'
import { encodePush, lengthOfMsgId, payloadLimits, serialize, sizeOf, type PushSend } from '@herald/contracts/payload'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import type { Platform } from '@herald/contracts/platform'
import { countCodePoints } from '@herald/contracts/text'
import { compileEntry, type RenderNote } from '@herald/contracts/render-entry'
import { entryOfDraft, type EntryDraft } from './content-draft.ts'

/** One push of a platform: filled in, encoded and cut by the code that sends. */
export type Measured = {
  platform: Platform
  limit: number
  /** The bytes that are sent, or that would be sent if they were not refused. */
  bytes: number
  fate: 'fits' | 'cut' | 'too_large' | 'empty'
  /** The text that the device gets, with its body cut as in the payload; null when nothing is left to show. */
  shown: LocaleEntry | null
  /** How many characters (code points) were cut from the end of the body. */
  cutBy: number
  notes: readonly RenderNote[]
}

/**
 * Fills a text in for a person and encodes it. The `msgId` is as long as the real one; a ttl is written into FCM's payload, so it is needed for the bytes.
 */
export function measure(
  platform: Platform,
  entry: EntryDraft,
  values: PlaceholderValues,
  { send, ttlSeconds, variant = '' }: { send: PushSend; ttlSeconds: number; variant?: string },
): Measured {
  const limit = payloadLimits[platform]
  const notes: RenderNote[] = []
  const rendered = compileEntry(entryOfDraft(entry))(values, (note) => notes.push(note))
  if (rendered === undefined && !send.silent) return { platform, limit, bytes: 0, fate: 'empty', shown: null, cutBy: 0, notes }
  const push = { msgId: 'm'.repeat(lengthOfMsgId(platform, variant)), entry: rendered ?? null, send }
  const encoded = encodePush(platform, push, '', ttlSeconds)
  if (!encoded.ok) return { platform, limit, bytes: encoded.bytes, fate: 'too_large', shown: push.entry, cutBy: 0, notes }
  const bytes = sizeOf(platform, encoded.body, '')
  const shown = push.entry && { ...push.entry, body: send.silent ? push.entry.body : bodyIn(platform, encoded.body) }
  const isCut = sizeOf(platform, serialize(platform, push, '', ttlSeconds), '') > limit
  const cutBy = isCut && push.entry && shown ? countCodePoints(push.entry.body) - countCodePoints(shown.body) + 1 : 0
  return { platform, limit, bytes, fate: isCut ? 'cut' : 'fits', shown, cutBy, notes }
}

/** The body as the payload holds it. */
function bodyIn(platform: Platform, json: string): string {
  const payload = JSON.parse(json) as {
    aps?: { alert?: { body: string } }
    message?: { notification?: { body: string } }
    body?: string
  }
  const body = platform === 'ios' ? payload.aps?.alert?.body : platform === 'android' ? payload.message?.notification?.body : payload.body
  return body ?? ''
}
