import type { LocaleEntry } from '@herald/contracts/content'
import { encodePush, lengthOfMsgId, payloadLimits, serialize, sizeOf, type PushSend } from '@herald/contracts/payload'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import type { Platform } from '@herald/contracts/platform'
import { countCodePoints } from '@herald/contracts/text'
import { compileEntry, type RenderNote } from '@herald/contracts/render-entry'
import { entryOfDraft, type EntryDraft } from './content-draft.ts'

/** A push as one platform gets it: filled in, encoded and cut by the same code that sends pushes. */
export type Measured = {
  platform: Platform
  limit: number
  /** How many bytes of the payload count towards the limit; 0 when the text is empty. */
  bytes: number
  fate: 'fits' | 'cut' | 'too_large' | 'empty'
  /**
   * The filled-in text; null when the text is empty. Its body is as the payload has it, so the end may be cut. When the push is too large, the body
   * is whole.
   */
  shown: LocaleEntry | null
  /** How many characters (code points) were cut from the end of the body. */
  cutBy: number
  notes: readonly RenderNote[]
}

/**
 * Fills a text in for a user, encodes it, and measures it. Instead of a `msgId` the payload has a stand-in of the same length. FCM's payload contains
 * `ttlSeconds`.
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

/** Gives the body of a message as the encoded payload contains it. */
function bodyIn(platform: Platform, json: string): string {
  const payload = JSON.parse(json) as {
    aps?: { alert?: { body: string } }
    message?: { notification?: { body: string } }
    body?: string
  }
  const body = platform === 'ios' ? payload.aps?.alert?.body : platform === 'android' ? payload.message?.notification?.body : payload.body
  return body ?? ''
}
