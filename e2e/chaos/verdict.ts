import type { Tenant } from '@herald/testing/tenant'

type Push = { seq: number; deviceId: string; msgId: string | null; id: string; headers: Record<string, string> }
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

/** Holds the counters against the simulator's record, the oracle: what every device was really sent. */
export async function judge(tenant: Tenant, campaigns: Campaign[]): Promise<Verdict> {
  const seen = new Map<string, Map<string, string>>()
  const verdict: Verdict = { missing: 0, copies: 0, strangers: 0, unsettled: 0, difference: 0, failed: 0 }
  for (let after = 0; ;) {
    const { pushes } = await tenant.simulator<{ pushes: Push[] }>('GET', `/pushes?after=${after}&limit=5000`)
    for (const push of pushes) {
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
    const last = pushes.at(-1)
    if (!last) break
    after = last.seq
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
