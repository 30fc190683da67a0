import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { Campaign } from '@herald/contracts/campaign'
import type { Stats } from '@herald/contracts/stats'
import type { Answer, Herald } from '@herald/testing/herald'
import type { Device, Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { onDatabase } from '../chaos/platform.ts'
import { recordedPushes, type Push } from '../chaos/scenario-result.ts'

// Helpers for tests of campaigns: they make campaigns and wait for them through the API, and read their pushes from the simulator.

export type Json = Record<string, unknown>
export type Shown = Campaign & { stats: Stats }
export type Registered = { device: Device; id: string; userId: string }

export const textOf = (title: string) => ({ _default: 'en', en: { title, body: 'There is news.' } })

export function ok<Body>({ status, body }: Answer<Body>, expected: number): Body {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Makes a campaign, sends it and gives its id. `status` is the status that the campaign must have after that. */
export async function sendCampaign(tenant: Tenant, campaign: Json, status: string): Promise<string> {
  const { id } = ok(
    await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Test', content: textOf('Hello'), ...campaign }),
    201,
  )
  const sent = ok(await tenant.call<{ status: string }>('POST', `/v1/campaigns/${id}/send`), 202)
  if (sent.status !== status) throw new Error(`campaign ${id} is ${sent.status}, not ${status}`)
  return id
}

export const read = async (tenant: Tenant, id: string): Promise<Shown> => ok(await tenant.admin<Shown>('GET', `/campaigns/${id}`), 200)

export const untilStatus = (tenant: Tenant, id: string, status: string): Promise<Shown> =>
  until(
    async () => {
      const campaign = await read(tenant, id)
      if (campaign.status !== status) throw new Error(JSON.stringify({ status: campaign.status, stats: campaign.stats }))
      return campaign
    },
    { withinMs: 60_000, what: `campaign ${id} is ${status}` },
  )
export const untilSettled = async (tenant: Tenant, id: string): Promise<Stats> => (await untilStatus(tenant, id, 'sent')).stats

/** Makes devices and registers them, a few at a time. */
export async function givenDevices(
  tenant: Tenant,
  platform: Device['platform'],
  count: number,
  more: (index: number) => Json = () => ({}),
): Promise<Registered[]> {
  const devices = await tenant.makeDevices(platform, count)
  const registered: Registered[] = []
  for (let start = 0; start < devices.length; start += 20) {
    const page = devices.slice(start, start + 20)
    registered.push(
      ...(await Promise.all(
        page.map(async (device, place) => {
          const { id, userId } = await tenant.register(device, more(start + place))
          return { device, id, userId }
        }),
      )),
    )
  }
  return registered
}

export type CampaignPush = Push & { userId: string; variant: string; title: string }

/** The pushes of a campaign that the simulator accepted, in the order of their arrival. */
export async function pushesOf(tenant: Tenant, campaignId: string): Promise<CampaignPush[]> {
  const found: CampaignPush[] = []
  for await (const push of recordedPushes(tenant)) {
    // A msgId begins with a text of several ids: see libs/auth/src/message-id.ts.
    const [, campaign, userId = '', , , variant = ''] = Buffer.from((push.msgId ?? '').split('.')[0] ?? '', 'base64url')
      .toString()
      .split('|')
    if (campaign === campaignId) found.push({ ...push, userId, variant, title: titleOf(push.payload as Payload) })
  }
  return found
}
type Titled = { title: string }
/** The payload of each platform, with the place where it has the title unless it is silent: APNs, FCM, Web Push. */
type Payload = { aps: { alert?: Titled } } | { message: { notification?: Titled } } | Titled
const titleOf = (payload: Payload): string => {
  if ('aps' in payload) return payload.aps.alert?.title ?? ''
  return 'message' in payload ? (payload.message.notification?.title ?? '') : payload.title
}
export const devicesOf = (pushes: Push[]): string[] => pushes.map(({ deviceId }) => deviceId).toSorted()
export const idsOf = (registered: Registered[]): string[] => registered.map(({ device }) => device.id).toSorted()

/** Reads the ledger of a campaign: all rows, or those that a filter such as `&outcome=skipped` selects. */
export async function ledgerOf(tenant: Tenant, campaignId: string, filter = ''): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = cursor === '' ? '' : `&cursor=${cursor}`
    const answer: { items: LedgerRow[]; nextCursor: string | null } = ok(
      await tenant.admin('GET', `/pushes?campaignId=${campaignId}&limit=200${filter}${page}`),
      200,
    )
    rows.push(...answer.items)
    cursor = answer.nextCursor
  }
  return rows
}

/** Gives the local time of a zone in `minutes` minutes, or that many minutes ago when `minutes` is negative, as HH:MM. */
export const clockIn = (zone: string, minutes: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    new Date(Date.now() + minutes * 60_000),
  )

/** Moves the time for which a campaign waits, its start or its next occurrence, to `at`. */
export const setDue = (herald: Herald, campaignId: string, at: Date): Promise<unknown> =>
  onDatabase(herald, (client) => client.query('update campaigns.campaigns set due_at = $2 where id = $1', [campaignId, at]))

/** Lets the next wave of a campaign begin now. */
export const beginNextWave = (herald: Herald, campaignId: string): Promise<unknown> =>
  onDatabase(herald, (client) =>
    until(
      async () => {
        const text = `update audience.fan_outs set due_at = now() where campaign_id = $1 and state = 'between_waves'`
        return (await client.query(text, [campaignId])).rowCount === 1
      },
      { withinMs: 30_000, what: 'a fan-out between waves' },
    ),
  )
