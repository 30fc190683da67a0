import type { WavesOfFanOut } from '../core/waves.ts'
import type { Db } from '../../store/tables.ts'

/** What became of a send's waves; undefined: its fan-out has not begun, its row is past retention, or it is another app's. */
export async function findWaves(db: Db, appId: string, campaignId: string): Promise<WavesOfFanOut | undefined> {
  const row = await db
    .selectFrom('fan_outs')
    .select(['waves', 'past_waves', 'wave', 'started_at', 'queued_ios', 'queued_android', 'queued_web', 'state', 'flow'])
    .where('campaign_id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    waves: row.waves ?? row.past_waves,
    wave: row.wave,
    startedAt: row.started_at,
    queued: { ios: row.queued_ios, android: row.queued_android, web: row.queued_web },
    state: row.state,
    isCancelled: row.flow === 'cancelled',
  }
}
