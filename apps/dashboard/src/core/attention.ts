import { platformNames, platforms, type Platform } from '@herald/contracts/platform'
import { remedyFor } from '@herald/contracts/code-meanings'
import { countText, percentText } from './number.ts'
import { some } from './spans.ts'
import { providerNames } from './platform-names.ts'

/** Where a note under "Attention" leads: a page, perhaps with the id of one object or with filters of the log. */
export type AttentionLink = {
  label: string
  page: 'providers' | 'log' | 'campaign' | 'webhook' | 'keys'
  id?: string
  search?: Record<string, string>
}
export type AttentionNote = { key: string; kind: 'bad' | 'warning'; text: string; since: string | null; link: AttentionLink }

type Attention = { code: string; params: Readonly<Record<string, string | number | null>> }
type Devices = Readonly<Record<Platform, { total: number; invalidated: number }>>

const platformOf = (value: unknown): Platform => platforms.find((platform) => platform === value) ?? platforms[0]

/**
 * The overview warns of a platform when at least `fewestDead` of its devices are invalidated, and these are more than the share `deadShare` of its
 * devices. Then something may be wrong with how the app registers devices.
 */
const [deadShare, fewestDead] = [0.05, 20]

/**
 * Gives a sentence and a link for each thing that needs the operator's attention: those that Herald lists, and platforms with many invalidated
 * devices. `now` is in milliseconds.
 */
export function attentionNotes(attention: readonly Attention[], devices: Devices, now: number): AttentionNote[] {
  const notes = attention.map(({ code, params }, index) => ({ ...noteOf(code, params, now), key: `${code}-${index}` }))
  const dead = (Object.entries(devices) as [Platform, Devices[Platform]][]).filter(
    ([, { total, invalidated }]) => invalidated >= fewestDead && invalidated > deadShare * total,
  )
  for (const [platform, { total, invalidated }] of dead)
    notes.push({
      key: `dead-${platform}`,
      kind: 'warning',
      text: `${percentText(invalidated, total)} of the ${platformNames[platform]} devices cannot be reached any more (${countText(invalidated)} of ${countText(total)}). Uninstalled apps and ended subscriptions are normal; ask your developers if it rose suddenly.`,
      since: null,
      link: { label: 'See why', page: 'log', search: { outcome: 'failed', code: 'token_dead', platform } },
    })
  return notes
}

const unusedMs = 90 * 86_400_000

/** Gives a note for each key that was neither made nor used in the last 90 days: if such a key were stolen, nobody would notice. */
export function unusedKeyNotes(
  keys: readonly { id: string; name: string; createdAt: string; lastUsedAt: string | null }[],
  now: number,
): AttentionNote[] {
  const unused = keys.filter(({ createdAt, lastUsedAt }) => Date.parse(lastUsedAt ?? createdAt) < now - unusedMs)
  return unused.map(({ id, name, lastUsedAt }) => ({
    key: `key-${id}`,
    kind: 'warning',
    text:
      lastUsedAt === null
        ? `The key “${name}” was never used. Revoke it if nothing needs it.`
        : `The key “${name}” has not been used for 90 days. Revoke it if nothing needs it.`,
    since: lastUsedAt,
    link: { label: 'Open the keys', page: 'keys' },
  }))
}

/** Why a campaign failed, by the code of its failure. The campaign's page has the whole message. */
const failures: Readonly<Record<string, string>> = {
  invalid_segment: 'its segment could not be evaluated',
  invalid_schedule: 'its schedule is no longer valid',
  internal: 'its recipients could not be prepared',
}

function noteOf(code: string, params: Attention['params'], now: number): Omit<AttentionNote, 'key'> {
  const platform = platformOf(params['platform'])
  const number = (name: string) => Number(params[name] ?? 0)
  const text = (name: string) => String(params[name] ?? '')
  const since = (name: string) => (params[name] == null ? null : text(name))
  switch (code) {
    case 'circuit_open':
      return {
        kind: 'bad',
        text: `${circuitSentence(platform, text('reason'))} ${some(number('heldCount'), 'push', 'pushes')} on hold; no one was unsubscribed.`,
        since: since('since'),
        link: { label: `See ${providerNames[platform]}`, page: 'providers' },
      }
    case 'quota_slowed':
      return {
        kind: 'warning',
        text: `${providerNames[platform]} is throttling: at most ${countText(number('perSecond'))} pushes a second now. The others wait.`,
        since: since('since'),
        link: { label: `See ${providerNames[platform]}`, page: 'providers' },
      }
    case 'provider_missing':
      return {
        kind: 'bad',
        text: `${some(number('reachable'), `${platformNames[platform]} device`, `${platformNames[platform]} devices`)} cannot receive pushes: the app has no credentials for ${providerNames[platform]}.`,
        since: null,
        link: { label: `Set up ${providerNames[platform]}`, page: 'providers' },
      }
    case 'many_failures':
      return {
        kind: 'bad',
        text: `${countText(number('failed'))} of ${countText(number('sent') + number('failed'))} pushes to ${platformNames[platform]} failed within 24 hours.`,
        since: null,
        link: {
          label: 'Show the failures',
          page: 'log',
          search: { outcome: 'failed', platform, from: new Date(now - 24 * 3_600_000).toISOString() },
        },
      }
    case 'campaign_failed':
      return {
        kind: 'bad',
        text: `The campaign “${text('name')}” failed: ${failures[text('reason')] ?? text('reason')}.`,
        since: since('at'),
        link: { label: 'Open the campaign', page: 'campaign', id: text('campaignId') },
      }
    case 'campaign_paused':
      return {
        kind: 'warning',
        text: `The campaign “${text('name')}” is paused.`,
        since: since('since'),
        link: { label: 'Resume or cancel', page: 'campaign', id: text('campaignId') },
      }
    case 'webhook_disabled':
      return {
        kind: 'bad',
        text: 'A webhook endpoint was switched off after too many failures. It gets no new events until it is enabled again.',
        since: since('since'),
        link: { label: 'Fix and enable', page: 'webhook', id: text('webhookId') },
      }
    case 'webhook_failing':
      return {
        kind: 'warning',
        text: `A webhook endpoint has failed ${countText(number('consecutiveFailures'))} times in a row. It is switched off after too many.`,
        since: null,
        link: { label: 'See its deliveries', page: 'webhook', id: text('webhookId') },
      }
    default:
      return {
        kind: 'warning',
        text: `Unknown alert: ${code}.`,
        since: null,
        link: { label: 'Open the log', page: 'log' },
      }
  }
}

/** Says in a sentence why the pushes of a platform are held. */
export function circuitSentence(platform: Platform, code: string | null): string {
  const provider = providerNames[platform]
  if (code === 'credentials_invalid' || code === 'sender_mismatch') return `${provider} refuses the app’s credentials.`
  if (code === null || code === '') return `${provider} accepts no pushes at present.`
  return `${provider} accepts no pushes at present: ${lowerFirst(remedyFor(code).means)}`
}

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`
