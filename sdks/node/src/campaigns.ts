import type { Client } from './client.ts'
import { HeraldError } from './errors.ts'
import type { SendOptions } from './notifications.ts'
import type { CallOptions } from './options.ts'
import { pause } from './retries.ts'
import type { CampaignDraft, CampaignStats, CampaignStatus, Schema } from './schema.ts'

export type SettledOptions = CallOptions & {
  /** How long to wait for the end, 60 s unless you say otherwise. */
  timeoutMs?: number
}

const ended: readonly CampaignStatus[] = ['sent', 'cancelled', 'failed']
const firstLookMs = 200
const longestLookMs = 2_000

const pathOf = (id: string) => `/v1/campaigns/${encodeURIComponent(id)}`

export const campaigns = (client: Client) => {
  const stats = (id: string, options: CallOptions = {}) => client.request<CampaignStats>('GET', `${pathOf(id)}/stats`, options)
  return {
    stats,

    /** Makes a draft. Nothing is sent before `send`. */
    create: (draft: CampaignDraft, { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {}) =>
      client.request<Schema<'Drafted'>>('POST', '/v1/campaigns', { ...options, body: draft, idempotencyKey }),

    /** Sends or schedules a draft. When an answer was lost and the campaign turns out to be under way, its status is the answer. */
    send: (id: string, options: CallOptions = {}) =>
      client.request<{ status: CampaignStatus }>('POST', `${pathOf(id)}/send`, {
        ...options,
        repeatable: true,
        async recover(error) {
          if (!error.is('invalid_state')) return undefined
          const { status } = await stats(id, options)
          return status === 'draft' ? undefined : { answer: { status } }
        },
      }),

    /** Calls off a draft, a scheduled or a recurring campaign whose fan-out has not begun. */
    cancel: (id: string, options: CallOptions = {}) => client.request<Schema<'Cancelled'>>('POST', `${pathOf(id)}/cancel`, options),

    /** Sends a variant of an experiment to those who were held out. The id is that of the campaign that does it. */
    pickWinner: (id: string, variant: string, options: CallOptions = {}) =>
      client.request<Schema<'Accepted'>>('POST', `${pathOf(id)}/experiment/winner`, { ...options, body: { variant } }),

    /** Waits until a campaign is sent, cancelled or failed, and gives its stats. Rejects with `timeout`, which names the status, when that takes too long. */
    async settled(id: string, { timeoutMs = 60_000, ...options }: SettledOptions = {}): Promise<CampaignStats> {
      const endsAt = Date.now() + timeoutMs
      for (let wait = firstLookMs; ; wait = Math.min(longestLookMs, wait * 1.5)) {
        const read = await stats(id, options)
        if (ended.includes(read.status)) return read
        if (Date.now() + wait > endsAt) {
          const message = `The campaign is still ${read.status} after ${timeoutMs} ms.`
          throw new HeraldError({ code: 'timeout', status: 0, message })
        }
        await pause(wait, options.signal)
      }
    },
  }
}
