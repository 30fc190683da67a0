import type { Tenant } from '@herald/testing/tenant'

export type Push = {
  seq: number
  /** Epoch milliseconds. */
  at: number
  deviceId: string
  msgId: string | null
  id: string
  headers: Record<string, string>
  payload: unknown
}
export type CampaignStats = { queued: number; sent: number; failed: number; skipped: number }
export type Campaign = { id: string; devices: string[]; status: string; stats: CampaignStats }

export type Verdict = {
  /** Devices that should have got a push, got none, and were not told as failed or skipped. */
  missing: number
  /** Pushes a device got again for one campaign. */
  copies: number
  /** Copies that carry another identity than the first: a device would show them twice. */
  strangers: number
  /** Campaigns that did not settle. */
  unsettled: number
  /** Sum over campaigns of what the counters are off: queued against devices, and queued against sent, failed and skipped. */
  difference: number
  /** What the counters by the hour are off the statistics of all the app's campaigns, added up over every kind, and over failures and skips by code. */
  series: number
  failed: number
}

/** The simulator's record, the oracle: what every device was really sent, in order. */
export async function* recordedPushes(tenant: Tenant): AsyncGenerator<Push> {
  for (let after = 0; ;) {
    const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?after=${after}&limit=5000`)
    yield* pushes
    const last = pushes.at(-1)
    if (!last) return
    after = last.seq
  }
}

/** Holds the counters against the record. */
export async function judge(tenant: Tenant, campaigns: Campaign[]): Promise<Verdict> {
  const seen = new Map<string, Map<string, string>>()
  const verdict: Verdict = { missing: 0, copies: 0, strangers: 0, unsettled: 0, difference: 0, series: 0, failed: 0 }
  for await (const push of recordedPushes(tenant)) {
    const campaignId = campaignOf(push.msgId)
    const devices = seen.get(campaignId) ?? new Map<string, string>()
    seen.set(campaignId, devices)
    const first = devices.get(push.deviceId)
    if (first === undefined) devices.set(push.deviceId, identityOf(push))
    else {
      verdict.copies += 1
      if (first !== identityOf(push)) verdict.strangers += 1
    }
  }
  for (const { id, devices, status, stats } of campaigns) {
    const got = seen.get(id) ?? new Map()
    const without = devices.filter((device) => !got.has(device)).length
    verdict.missing += Math.max(0, without - stats.failed - stats.skipped)
    verdict.difference += Math.abs(stats.queued - devices.length) + Math.abs(stats.queued - stats.sent - stats.failed - stats.skipped)
    verdict.failed += stats.failed
    if (status !== 'sent') verdict.unsettled += 1
  }
  verdict.series = await seriesDifference(tenant)
  return verdict
}

type Counts = CampaignStats & { delivered: number; opened: number; clicked: number; dismissed: number }
const counted = ['queued', 'sent', 'failed', 'skipped', 'delivered', 'opened', 'clicked', 'dismissed'] as const
type SeriesPoint = Counts & { platform?: string }
type Series = { points: SeriesPoint[]; codes?: { outcome: 'failed' | 'skipped'; count: number }[] }

/** The sum of an app's buckets against the sum of the statistics of all its campaigns. */
async function seriesDifference(tenant: Tenant): Promise<number> {
  const read = async <Body>(path: string): Promise<Body> => {
    const { status, body } = await tenant.admin<Body>('GET', path)
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const ofCampaigns: Counts[] = []
  for (let after: string | null = ''; after !== null;) {
    type Page = { items: { stats: Counts }[]; nextCursor: string | null }
    const { items, nextCursor }: Page = await read<Page>(`/campaigns?limit=200${after === '' ? '' : `&cursor=${after}`}`)
    ofCampaigns.push(...items.map(({ stats }) => stats))
    after = nextCursor
  }
  const from = new Date(Date.now() - 86_400_000).toISOString()
  const byPlatform = await read<Series>(`/series?bucket=hour&by=platform&from=${from}`)
  const byCode = await read<Series>(`/series?bucket=hour&by=code&from=${from}`)
  const sum = (rows: Counts[], kind: keyof Counts) => rows.reduce((all, row) => all + row[kind], 0)
  const ofCodes = (outcome: 'failed' | 'skipped') =>
    (byCode.codes ?? []).reduce((all, one) => (one.outcome === outcome ? all + one.count : all), 0)
  const off = counted.map((kind) => {
    const expected = sum(ofCampaigns, kind)
    return Math.abs(sum(byPlatform.points, kind) - expected) + Math.abs(sum(byCode.points, kind) - expected)
  })
  const offCodes = (['failed', 'skipped'] as const).map((outcome) => Math.abs(ofCodes(outcome) - sum(ofCampaigns, outcome)))
  return [...off, ...offCodes].reduce((all, one) => all + one, 0)
}

/** The simulator reads for so long what a killed process had written: up to a window of pushes. Kills are further apart. */
const readLateMs = 100

/** How many copies each kill cost: a copy belongs to the first kill that can have kept its process from telling that the push was accepted. */
export async function copiesByKill(tenant: Tenant, killedAt: readonly number[]): Promise<number[]> {
  const firstAt = new Map<string, number>()
  const copies = killedAt.map(() => 0)
  for await (const { deviceId, msgId, at } of recordedPushes(tenant)) {
    const push = `${deviceId} ${msgId}`
    const first = firstAt.get(push)
    if (first === undefined) firstAt.set(push, at)
    else {
      const kill = killedAt.findIndex((time) => time + readLateMs >= first)
      copies[kill] = (copies[kill] ?? 0) + 1
    }
  }
  return copies
}

/** The msgId's text is appId|campaignId|…; see libs/auth/src/message-id.ts. */
const campaignOf = (msgId: string | null): string =>
  Buffer.from((msgId ?? '').split('.')[0] ?? '', 'base64url')
    .toString()
    .split('|')[1] ?? ''

/** What makes a device show a repeated push once: its tracking id, and the provider's own identity where there is one. */
const identityOf = ({ msgId, headers }: Push): string => `${msgId} ${headers['topic'] ?? ''} ${headers['collapseId'] ?? ''}`

/** Nothing lost, nothing counted wrong, no stranger; copies only as many as windows of lost dispatchers hold. */
export const isGood = (verdict: Verdict, copiesAllowed: number): boolean =>
  verdict.missing === 0 &&
  verdict.difference === 0 &&
  verdict.series === 0 &&
  verdict.unsettled === 0 &&
  verdict.strangers === 0 &&
  verdict.failed === 0 &&
  verdict.copies <= copiesAllowed
