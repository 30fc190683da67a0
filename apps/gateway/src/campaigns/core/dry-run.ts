import { openMessageIds } from '@herald/auth/message-id'
import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { textsOf, type Content, type LocaleEntry } from '@herald/contracts/content'
import type { AudienceDryRun, SampleDevice, SampleSkip, ShownLocale } from '@herald/contracts/dry-run'
import { payloadLimits, serialize, sizeOf } from '@herald/contracts/payload'
import { platforms, type Platform } from '@herald/contracts/platform'
import { prepareSend, type PreparedSend } from '@herald/contracts/prepare-send'
import type { RenderNote } from '@herald/contracts/render-entry'

/**
 * A push as it would be made. When none can be made, `payload` is null, and so are `locale`, `entry` and `bytes` unless the push is only too large.
 * `bytes` counts what the platform's limit counts.
 */
export type Rendered = {
  variant: string
  locale: string | null
  entry: LocaleEntry | null
  payload: Record<string, unknown> | null
  bytes: number | null
  truncated: boolean
  notes: RenderNote[]
}
export type RenderedSample = Omit<SampleDevice, 'recipient' | 'variant' | 'skip'> & Rendered & { skip: SampleSkip | null }
/**
 * How large the pushes with one text are on a platform. `max`: the bytes of the largest payload. `limit`: the platform's limit. `devices`: how many
 * devices would get the text; null when only the payloads of samples were measured.
 */
export type MeasuredText = {
  platform: Platform
  locale: string | null
  variant: string
  max: number
  limit: number
  truncated: boolean
  devices: number | null
}

/** Signs the msgIds of a dry run. They are as long as real msgIds, but no device can report with them. */
const noSecret = 'dry run'

/**
 * Renders the samples with the code that the dispatcher renders with, and measures texts for each platform (`measureFixed`, `measureSamples`). It
 * awaits `pause` before each piece of work, since all of it together may take a second.
 */
export async function renderDryRun(
  send: FrozenSend,
  run: AudienceDryRun,
  pause: () => Promise<void>,
): Promise<{ samples: RenderedSample[]; texts: MeasuredText[] }> {
  const prepared = prepareSend(send, () => new Date(run.startsAt))
  const samples: RenderedSample[] = []
  for (const device of run.samples) {
    await pause()
    samples.push(renderSample(prepared, device))
  }
  const fixed: MeasuredText[] = []
  for (const shown of run.locales) {
    await pause()
    fixed.push(...measureFixed(prepared, shown))
  }
  return { samples, texts: measureSamples(fixed, samples) }
}

function renderSample(prepared: PreparedSend, { recipient, ...device }: SampleDevice): RenderedSample {
  const { send } = prepared
  const { platform, userId, skip } = device
  const isLeftOut = skip === 'not_in_experiment'
  const variant = device.variant === '' && !isLeftOut ? prepared.variantFor(userId) : device.variant
  const nothing = { variant, locale: null, entry: null, payload: null, bytes: null, truncated: false, notes: [] }
  if (!recipient || isLeftOut || (send.silent && platform === 'web')) return { ...device, ...nothing }
  const rendered = render(prepared, platform, recipient, variant)
  return { ...device, ...rendered, skip: skip ?? (rendered.bytes === null ? 'empty_content' : null) }
}

/** Renders a device's push with the functions that the dispatcher uses, in the same order. */
function render(prepared: PreparedSend, platform: Platform, recipient: Recipient, variant: string): Rendered {
  const { send } = prepared
  const { userId, subscriptionId } = recipient
  const notes: RenderNote[] = []
  const nothing = { variant, locale: null, entry: null, payload: null, bytes: null, truncated: false, notes }
  const shown = prepared.shownTo(recipient, variant, (note) => notes.push(note))
  if (!shown) return nothing
  const msgId = openMessageIds(noSecret, { appId: send.appId, campaignId: send.campaignId, platform })(userId, subscriptionId, variant)
  const encoded = prepared.payloadFor(platform, recipient, variant, msgId, send.ttl)
  if (!encoded) return nothing
  const uncut = sizeOf(platform, serialize(platform, { msgId, entry: shown.entry, send }, '', send.ttl), '')
  const truncated = uncut > payloadLimits[platform]
  if (!encoded.ok) return { ...nothing, ...shown, bytes: encoded.bytes, truncated }
  return { ...nothing, ...shown, payload: withoutToken(encoded.body), bytes: sizeOf(platform, encoded.body, ''), truncated }
}

/** Gives the payload without the field `token` of FCM's message. The field is empty in a dry run, which reads recipients without their tokens. */
function withoutToken(body: string): Record<string, unknown> {
  const payload = JSON.parse(body) as Record<string, unknown>
  const { message } = payload
  if (typeof message !== 'object' || message === null) return payload
  const { token: _token, ...rest } = message as Record<string, unknown>
  return { ...payload, message: rest }
}

/**
 * Measures a text when it has no placeholders. Such a text is the same for every device, so one measurement holds for all devices of a platform that
 * would get it.
 */
function measureFixed(prepared: PreparedSend, { variant, locale, byPlatform }: ShownLocale): MeasuredText[] {
  const content = contentOf(prepared.send, variant)
  const entry = content && Object.hasOwn(content, locale) ? content[locale] : undefined
  if (typeof entry !== 'object' || !isFixed(entry)) return []
  return platforms.flatMap((platform): MeasuredText[] => {
    const devices = byPlatform[platform]
    if (devices === 0) return []
    const { bytes, truncated } = render(prepared, platform, standIn(locale), variant)
    return bytes === null ? [] : [{ platform, locale, variant, max: bytes, limit: payloadLimits[platform], truncated, devices }]
  })
}

/** Adds the size of the largest sample for each text with placeholders, and for silent pushes, which have no text. */
function measureSamples(fixed: readonly MeasuredText[], samples: readonly RenderedSample[]): MeasuredText[] {
  const keyOf = ({ platform, locale, variant }: Pick<MeasuredText, 'platform' | 'locale' | 'variant'>) => `${platform} ${locale} ${variant}`
  const known = new Set(fixed.map(keyOf))
  const byText = Map.groupBy(
    samples.filter((sample) => sample.bytes !== null && !known.has(keyOf(sample))),
    keyOf,
  )
  const measured = [...byText.values()].flatMap((of): MeasuredText[] => {
    const [first] = of
    if (!first) return []
    const { platform, locale, variant } = first
    const max = Math.max(...of.map(({ bytes }) => bytes ?? 0))
    return [
      { platform, locale, variant, max, limit: payloadLimits[platform], truncated: of.some(({ truncated }) => truncated), devices: null },
    ]
  })
  return [...fixed, ...measured]
}

export const contentOf = ({ content, experiment }: FrozenSend, variant: string): Content | null =>
  experiment?.variants.find(({ id }) => id === variant)?.content ?? content

const isFixed = (entry: LocaleEntry): boolean => textsOf(entry).every((text) => !text.includes('{{'))

const standIn = (language: string): Recipient => ({
  place: 0,
  subscriptionId: '0'.repeat(24),
  userId: '0'.repeat(24),
  address: '',
  keys: null,
  tokenVersion: 0,
  environment: null,
  language,
  timezone: null,
  user: {},
  tags: {},
  subscription: {},
})

/**
 * How long a send would take (`seconds`), at `perSecond` pushes per second. `devices`: how many devices would get a push, because they are not
 * skipped.
 */
export type Estimate = { seconds: number | null; perSecond: number | null; basis: 'recent_sends' | 'send_rate' | 'none'; devices: number }

/**
 * Estimates how long a send would take from the pace of the app's last large sends, or from its rate when that is lower (spec:
 * sending/dry-run-estimate). Without both there is no estimate.
 */
export function estimateOf(
  { toSend: devices }: Pick<AudienceDryRun, 'toSend'>,
  pace: { pushes: number; seconds: number } | null,
  sendRate?: { perMinute: number },
): Estimate {
  const allowed = sendRate ? sendRate.perMinute / 60 : Infinity
  if (sendRate && (!pace || allowed <= pace.pushes / pace.seconds))
    return { seconds: Math.ceil(devices / allowed), perSecond: Math.round(allowed * 10) / 10, basis: 'send_rate', devices }
  if (!pace) return { seconds: null, perSecond: null, basis: 'none', devices }
  const perSecond = pace.pushes / pace.seconds
  return { seconds: Math.ceil(devices / perSecond), perSecond: Math.round(perSecond * 10) / 10, basis: 'recent_sends', devices }
}
