import type { Tenant } from '@herald/testing/tenant'

export type Push = {
  seq: number
  /** In milliseconds since 1970. */
  at: number
  deviceId: string
  msgId: string | null
  id: string
  headers: Record<string, string>
  payload: unknown
}
export type CampaignStats = { queued: number; sent: number; failed: number; skipped: number }
export type Campaign = { id: string; devices: string[]; status: string; stats: CampaignStats }

/** What a comparison of the counters with the simulator's record found. */
export type ScenarioResult = {
  /** How many devices got no push although their campaign did not count them as failed or skipped. */
  missing: number
  /** How many pushes came to a device that had already got a push of the same campaign. */
  copies: number
  /** How many copies have another identity than the first push; a device would show such a copy beside the first push. */
  strangers: number
  /** How many campaigns are not `sent`. */
  unsettled: number
  /**
   * By how much the counters of the campaigns are wrong, added up over all campaigns: by how much `queued` differs from the number of devices, and by
   * how much it differs from sent + failed + skipped.
   */
  difference: number
  /** By how much the app's hourly counters differ from the statistics of its campaigns (see `seriesDifference`). */
  series: number
  failed: number
}

/** Reads the simulator's record: every push that the simulator took, in order. */
export async function* recordedPushes(tenant: Tenant): AsyncGenerator<Push> {
  for (let after = 0; ;) {
    const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?after=${after}&limit=5000`)
    yield* pushes
    const last = pushes.at(-1)
    if (!last) return
    after = last.seq
  }
}

/** Compares the counters of the campaigns with the simulator's record. */
export async function compareWithRecord(tenant: Tenant, campaigns: Campaign[]): Promise<ScenarioResult> {
  const seen = new Map<string, Map<string, string>>()
  const result: ScenarioResult = { missing: 0, copies: 0, strangers: 0, unsettled: 0, difference: 0, series: 0, failed: 0 }
  for await (const push of recordedPushes(tenant)) {
    const campaignId = campaignOf(push.msgId)
    const devices = seen.get(campaignId) ?? new Map<string, string>()
    seen.set(campaignId, devices)
    const first = devices.get(push.deviceId)
    if (first === undefined) devices.set(push.deviceId, identityOf(push))
    else {
      result.copies += 1
      if (first !== identityOf(push)) result.strangers += 1
    }
  }
  for (const { id, devices, status, stats } of campaigns) {
    const got = seen.get(id) ?? new Map()
    const without = devices.filter((device) => !got.has(device)).length
    result.missing += Math.max(0, without - stats.failed - stats.skipped)
    result.difference += Math.abs(stats.queued - devices.length) + Math.abs(stats.queued - stats.sent - stats.failed - stats.skipped)
    result.failed += stats.failed
    if (status !== 'sent') result.unsettled += 1
  }
  result.series = await seriesDifference(tenant)
  return result
}

type Counts = CampaignStats & { delivered: number; opened: number; clicked: number; dismissed: number }
const counted = ['queued', 'sent', 'failed', 'skipped', 'delivered', 'opened', 'clicked', 'dismissed'] as const
type SeriesPoint = Counts & { platform?: string }
type Series = { points: SeriesPoint[]; codes?: { outcome: 'failed' | 'skipped'; count: number }[] }

/**
 * Adds up the differences between an app's hourly counters, read by platform and by code, and the statistics of its campaigns: for each counter in
 * both readings, and for the codes of failures and skips.
 */
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

/**
 * The simulator may take a push this many milliseconds after the kill of its dispatcher, because it still reads up to a window of pushes. Kills must
 * be further apart, so that each copy is counted for the right one.
 */
const readLateMs = 100

/**
 * Counts how many copies each kill caused. A copy counts for the first kill after its push was accepted, or up to `readLateMs` before, because that
 * kill can have kept a dispatcher from reporting the push.
 */
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

/** Reads the campaign's id out of a msgId, whose text is appId|campaignId|… (libs/auth/src/message-id.ts). */
export const campaignOf = (msgId: string | null): string =>
  Buffer.from((msgId ?? '').split('.')[0] ?? '', 'base64url')
    .toString()
    .split('|')[1] ?? ''

/** Gives what makes a device show a repeated push only once: the msgId, and the provider's identity of the push where the provider has one. */
const identityOf = ({ msgId, headers }: Push): string => `${msgId} ${headers['topic'] ?? ''} ${headers['collapseId'] ?? ''}`

/**
 * Whether every campaign is `sent`, no push was lost, failed, counted wrongly or sent with another identity, and at most `copiesAllowed` copies came.
 */
export const isGood = (result: ScenarioResult, copiesAllowed: number): boolean =>
  result.missing === 0 &&
  result.difference === 0 &&
  result.series === 0 &&
  result.unsettled === 0 &&
  result.strangers === 0 &&
  result.failed === 0 &&
  result.copies <= copiesAllowed
