import type { CampaignStatus, Stats } from '@herald/contracts/stats'
import type { StatusKind } from '../ui/Status.tsx'
import { percentText } from './number.ts'

export const statusWords: Readonly<Record<CampaignStatus, string>> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  sending: 'Sending',
  active: 'Active',
  paused: 'Paused',
  sent: 'Sent',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

const statusKinds: Readonly<Record<CampaignStatus, StatusKind>> = {
  draft: 'off',
  scheduled: 'off',
  sending: 'busy',
  active: 'good',
  paused: 'warning',
  sent: 'good',
  cancelled: 'off',
  failed: 'bad',
}

/** From this share of failed pushes on, a send that has ended is no plain success. */
const manyFailed = 0.05

/**
 * Gives the word and the look of a campaign's status. A send that has ended is judged by its pushes: one of which every push failed is not "Sent"
 * (spec: dashboard/status-by-result).
 */
export function resultOf({
  status,
  cancelling = false,
  approval = null,
  stats,
}: {
  status: CampaignStatus
  cancelling?: boolean | undefined
  /** What somebody asked for, of a draft that waits for a second person. */
  approval?: unknown
  stats: Pick<Stats, 'queued' | 'sent' | 'failed'>
}): { kind: StatusKind; word: string } {
  if (cancelling) return { kind: 'busy', word: 'Cancelling' }
  if (status === 'draft' && approval !== null) return { kind: 'warning', word: 'Pending approval' }
  if (status !== 'sent') return { kind: statusKinds[status], word: statusWords[status] }
  const { queued, sent, failed } = stats
  if (queued === 0) return { kind: 'off', word: 'No recipients' }
  if (sent === 0)
    return failed > 0 ? { kind: 'bad', word: failed === queued ? 'All failed' : 'None sent' } : { kind: 'warning', word: 'All skipped' }
  if (failed >= manyFailed * (sent + failed)) return { kind: 'warning', word: `Sent, ${percentText(failed, sent + failed, 0)} failed` }
  const skipped = queued - sent - failed
  if (skipped > queued / 2) return { kind: 'warning', word: `Sent, ${percentText(skipped, queued, 0)} skipped` }
  return { kind: 'good', word: statusWords.sent }
}
