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
  const verdict: Verdict = { missing: 0, copies: 0, strangers: 0, unsettled: 0, difference: 0, failed: 0 }
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
  return verdict
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
  verdict.unsettled === 0 &&
  verdict.strangers === 0 &&
  verdict.failed === 0 &&
  verdict.copies <= copiesAllowed
