import type { Client } from './client.ts'
import { HeraldError } from './errors.ts'
import type { SendOptions } from './notifications.ts'
import type { CallOptions } from './options.ts'
import { pause } from './retries.ts'
import type { Breakdown, CampaignDraft, CampaignRecall, CampaignStats, CampaignStatus, Explained, Schema } from './schema.ts'

/** Whom `explain` is about: a device, or a user with all devices. It and `breakdown` need a key that has the scope `users:read` too. */
export type Whom = { subscriptionId: string } | { userId: string } | { externalId: string }

export type SettledOptions = CallOptions & {
  /** How long to wait until the campaign has ended, in milliseconds; 60,000 by default. */
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

    explain: (id: string, whom: Whom, options: CallOptions = {}) =>
      client.request<Explained>('GET', `${pathOf(id)}/explain`, { ...options, query: whom }),
    breakdown: (id: string, options: CallOptions = {}) => client.request<Breakdown>('GET', `${pathOf(id)}/breakdown`, options),

    /** Makes a draft, which `send` sends. */
    create: (draft: CampaignDraft, { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {}) =>
      client.request<Schema<'Drafted'>>('POST', '/v1/campaigns', { ...options, body: draft, idempotencyKey }),

    /** Sends or schedules a draft. When an answer was lost and Herald says that the campaign is no draft any more, gives the campaign's status. */
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

    /** Cancels a campaign whose fan-out has not begun, or a recurrence. */
    cancel: (id: string, options: CallOptions = {}) => client.request<Schema<'Cancelled'>>('POST', `${pathOf(id)}/cancel`, options),

    /**
     * Cancels what is unsent and, unless the mode is `stop`, sends a follow-up that asks the devices to replace or remove the notification. Gives the
     * id of the follow-up.
     */
    recall: (id: string, recall: CampaignRecall, { idempotencyKey = crypto.randomUUID(), ...options }: SendOptions = {}) =>
      client.request<Schema<'Recalled'>>('POST', `${pathOf(id)}/recall`, { ...options, body: recall, idempotencyKey }),

    /** Sends a variant of an experiment to the users outside its sample, as a new campaign. Gives its id. */
    pickWinner: (id: string, variant: string, options: CallOptions = {}) =>
      client.request<Schema<'Accepted'>>('POST', `${pathOf(id)}/experiment/winner`, { ...options, body: { variant } }),

    /** Waits until a campaign is sent, cancelled or failed, and gives its stats. Rejects with the code `timeout` after `timeoutMs`. */
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
