import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { findSending } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/** What audience fans out, frozen when it was accepted. Null: unknown, or not to be sent (any more). */
export async function readSend(db: Db, { campaignId }: { campaignId: string }): Promise<{ send: FrozenSend; target: FrozenTarget } | null> {
  const row = await findSending(db, campaignId)
  if (!row?.target) return null
  const { name, transactional, content, silent, data, ttl, priority, presentation, bypass, schedule, experiment } = row
  return {
    send: {
      campaignId,
      appId: row.app_id,
      name,
      transactional,
      content,
      silent,
      data,
      ttl,
      collapseId: row.collapse_id,
      priority,
      presentation,
      bypass,
      experiment: experiment && {
        sampleRate: experiment.sampleRate,
        variants: experiment.variants.map(({ id, weight, content }) => ({ id, weight, content })),
      },
      remainder: row.remainder_of !== null && row.remainder_rate !== null ? { of: row.remainder_of, sampleRate: row.remainder_rate } : null,
      userTimezone:
        schedule?.type === 'user_timezone' && row.local_times_after
          ? { localTime: schedule.localTime, after: row.local_times_after.toISOString() }
          : null,
    },
    target: row.target,
  }
}
