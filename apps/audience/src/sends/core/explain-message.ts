import type { FrozenSend } from '@herald/contracts/batch'
import { chooseLocale, type LocaleEntry } from '@herald/contracts/content'
import { variantOf } from '@herald/contracts/experiment'
import type { StepOf } from '@herald/contracts/explain'
import { encodePush, payloadLimits, serialize } from '@herald/contracts/payload'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import type { Platform } from '@herald/contracts/platform'
import { compileEntry } from '@herald/contracts/render-entry'
import { withPresentCode } from '@herald/contracts/text'

export type ToRender = {
  send: FrozenSend
  platform: Platform
  userId: string
  language: string | null
  values: Pick<PlaceholderValues, 'user' | 'tags' | 'subscription' | 'timezone'>
  now: Date
}

/** Renders what a send would show on a device now: in which locale, with how many bytes, and which texts would be shortened or fields left out. */
export function explainMessage({ send, platform, userId, language, values, now }: ToRender): StepOf<'message'> {
  const limit = payloadLimits[platform]
  const step = { step: 'message', result: 'info', basis: 'now', locale: null, fallback: false, bytes: null, limit } as const
  const variant = send.experiment ? variantOf(send.experiment.variants, send.campaignId, userId) : undefined
  const content = variant?.content ?? send.content
  const push = (entry: LocaleEntry | null) => ({ msgId: 'x'.repeat(lengthOfMsgId(platform, variant?.id ?? '')), entry, send })
  if (send.silent || !content) return { ...step, ...measured(platform, push(null), send.ttl), dropped: [] }

  const { locale, entry } = chooseLocale(content, language)
  const fallback = !`${withPresentCode(language ?? '')}-`.startsWith(`${withPresentCode(locale)}-`)
  const { campaignId: id, name, data } = send
  const shown = compileEntry(entry)({ ...values, data, campaign: { id, name }, now })
  if (!shown) return { ...step, result: 'stop', locale, fallback, truncated: false, dropped: [] }
  return { ...step, locale, fallback, ...measured(platform, push(shown), send.ttl), dropped: droppedOf(entry, shown) }
}

type Measured = Pick<StepOf<'message'>, 'result' | 'bytes' | 'truncated'>

function measured(platform: Platform, push: Parameters<typeof encodePush>[1], ttl: number): Measured {
  const encoded = encodePush(platform, push, '', ttl)
  if (!encoded.ok) return { result: 'stop', bytes: encoded.bytes, truncated: true }
  const whole = serialize(platform, push, '', ttl)
  return { result: 'info', bytes: bytesOf(platform, encoded.body), truncated: whole !== encoded.body }
}

/** Counts the bytes as the provider's limit does: on Android without the token and the JSON around the message. */
const bytesOf = (platform: Platform, body: string): number =>
  Buffer.byteLength(body) - (platform === 'android' ? Buffer.byteLength(JSON.stringify({ message: { token: '' } })) : 0)

/**
 * Gives the length of a tracking id. It has four ids, the platform and the variant with five separators, in base64url, and after a dot the signature.
 */
const lengthOfMsgId = (platform: Platform, variant: string): number =>
  Math.ceil(((4 * 24 + 5 + platform.length + variant.length) * 4) / 3) + 1 + 22

/** Lists the fields that the push leaves out: URLs that are invalid once their placeholders are filled in, and actions with an empty title. */
function droppedOf(written: LocaleEntry, shown: LocaleEntry): string[] {
  const kept = new Map((shown.actions ?? []).map((action) => [action.id, action]))
  return [
    ...(['url', 'image'] as const).filter((field) => written[field] !== undefined && shown[field] === undefined),
    ...(written.actions ?? []).flatMap(({ id, url }) => {
      const action = kept.get(id)
      if (!action) return [`actions.${id}`]
      return url !== undefined && action.url === undefined ? [`actions.${id}.url`] : []
    }),
  ]
}
