import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { Scene } from './scenario.ts'
import { isGood, compareWithRecord, type Campaign, type CampaignStats, type ScenarioResult } from './scenario-result.ts'

const content = (title: string) => ({ _default: 'en', en: { title, body: 'This is a push notification of a usual size for the test' } })

/**
 * Posts a send with its Idempotency-Key until Herald answers 202. From then on it may not be lost, which the scenarios check. `devices` must get it.
 * `refused` gets the status of each other answer.
 */
export async function send(
  tenant: Tenant,
  key: string,
  devices: readonly { id: string }[],
  body: Record<string, unknown> = { target: { all: true } },
  refused: (status: number) => void = () => undefined,
): Promise<Campaign> {
  const id = await until(
    async () => {
      const answer = await tenant.call<{ id: string }>(
        'POST',
        '/v1/notifications',
        { content: content(key), ...body },
        { 'idempotency-key': key },
      )
      if (answer.status !== 202) refused(answer.status)
      if (answer.status !== 202) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.id
    },
    { withinMs: 60_000, what: `send ${key} is accepted` },
  )
  return { id, devices: devices.map((device) => device.id), status: 'sending', stats: { queued: 0, sent: 0, failed: 0, skipped: 0 } }
}

export const readStats = (tenant: Tenant, { id }: { id: string }) =>
  tenant.call<{ status: string; stats: CampaignStats }>('GET', `/v1/campaigns/${id}/stats`)

/**
 * A campaign is given up when neither its counters nor its status have changed for this long. A lease of a dead process and the sweeps after it take
 * less; on a busy machine counters move slowly.
 */
const stuckAfterMs = 90_000

/**
 * Waits until every campaign is `sent`, and gives the seconds that this took. Gives up a campaign when nothing has moved for 90 s; that campaign then
 * has the status and counters that were read last.
 */
export async function untilAllSettled(tenant: Tenant, campaigns: Campaign[]): Promise<number> {
  const startedAt = performance.now()
  let movedAt = startedAt
  for (const campaign of campaigns) {
    while (campaign.status !== 'sent' && performance.now() < movedAt + stuckAfterMs) {
      const answer = await readStats(tenant, campaign).catch(() => undefined)
      if (answer?.status === 200) {
        const { status, stats } = answer.body
        if (JSON.stringify(stats) !== JSON.stringify(campaign.stats) || status !== campaign.status) movedAt = performance.now()
        Object.assign(campaign, { status, stats })
      }
      if (campaign.status !== 'sent') await sleep(100)
    }
  }
  return (performance.now() - startedAt) / 1000
}

/** Reads how many pushes the simulator has accepted, copies included. */
export const accepted = async (tenant: Tenant): Promise<number> =>
  (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total

/** Waits until the simulator has accepted `count` pushes. */
export const untilAccepted = (tenant: Tenant, count: number, withinMs = 600_000): Promise<number> =>
  until(
    async () => {
      const total = await accepted(tenant)
      return total >= count && total
    },
    { withinMs, what: `${count} pushes accepted` },
  )

/**
 * Checks settled sends that must have reached every device: no push is lost, each is counted once, and there are at most `copiesAllowed` copies, each
 * with the identity of the first push.
 */
export async function checkSends(
  { note, check }: Scene,
  tenant: Tenant,
  campaigns: Campaign[],
  copiesAllowed: number,
  prefix = '',
): Promise<ScenarioResult> {
  const result = await compareWithRecord(tenant, campaigns)
  const devices = campaigns.reduce((sum, campaign) => sum + campaign.devices.length, 0)
  const sent = campaigns.reduce((sum, { stats }) => sum + stats.sent, 0)
  note({
    [`${prefix}campaigns`]: campaigns.length,
    [`${prefix}sent`]: sent,
    [`${prefix}result`]: result,
    [`${prefix}copiesAllowed`]: copiesAllowed,
  })
  check(isGood(result, copiesAllowed), `${prefix}the result is ${JSON.stringify(result)}, at most ${copiesAllowed} copies allowed`)
  check(sent === devices, `${prefix}stats.sent is ${sent} for ${devices} devices`)
  return result
}
