import type { Schedule } from '@herald/contracts/campaign'
import type { Content } from '@herald/contracts/content'
import { fault, type Fault } from '@herald/contracts/fault'
import { recallDays, type RecallMode } from '@herald/contracts/recall'
import type { Presentation } from '@herald/contracts/send-fields'
import type { CampaignStatus, Stats } from '@herald/contracts/stats'
import type { ResolvedSend } from './overrides.ts'

export type Recallable = {
  status: CampaignStatus
  silent: boolean
  schedule: Schedule | null
  /** The campaign that this one recalls itself; null in most campaigns. */
  recallOf: string | null
  /** How many days ago it began. */
  days: number
  /** True when it is older than the ledger's retention: to which devices it was sent is then no longer known. */
  ledgerIsGone: boolean
  isRecalled: boolean
}

/**
 * Says why a campaign cannot be recalled with a follow-up; undefined when it can be (spec: recall/refused). Each text names the way out. `stats`: its
 * counters once it has ended; undefined while it is under way.
 */
export function whyNoRecall(
  { status, silent, schedule, recallOf, days, ledgerIsGone, isRecalled }: Recallable,
  stats: Stats | undefined,
): Fault | undefined {
  const refused = (message: string) => fault('invalid_state', message)
  if (recallOf !== null) return refused(`The campaign is a recall itself. Recall ${recallOf} once more, or cancel this one.`)
  if (schedule?.type === 'recurring' && status !== 'draft')
    return refused('A recurrence sends nothing itself. Pause or cancel it, and recall its runs.')
  if (status === 'draft') return refused('The campaign is a draft: nothing was sent. Delete it instead.')
  if (status === 'scheduled') return refused('The campaign has not begun: nothing was sent. Cancel it instead.')
  if (silent) return refused('The campaign is silent: devices show nothing of it. Use mode stop to cancel what is unsent.')
  if (days > recallDays) return refused(`The campaign began more than ${recallDays} days ago. Send a new one to correct it.`)
  if (ledgerIsGone)
    return refused('To which devices it was sent is no longer known: the outcomes are past their retention. Send a new one to correct it.')
  if (isRecalled) return refused('Another recall of the campaign is under way. Wait until it is sent, or cancel it.')
  if (!stats) return undefined
  if (stats.queued > stats.sent + stats.failed + stats.skipped)
    return refused('Pushes that were queued before the campaign failed are still being sent. Try again in a moment.')
  return stats.sent === 0 ? refused('Nothing of the campaign was sent, so there is nothing to recall.') : undefined
}

/**
 * Gives the send of a follow-up (spec: recall/quiet): the first's, quiet and without its overrides, which could make it sound. It lives as long as the
 * operator's default, since a device that was off still shows the first.
 */
export function followUpOf(first: ResolvedSend, mode: RecallMode, content: Content | null, ttl: number): ResolvedSend {
  const { data, collapseId, presentation, category = null } = first
  const common = { collapseId, ttl, priority: 'high', overrides: null, category, bypass: {}, perMinute: null } as const
  return mode === 'dismiss'
    ? { ...common, content: null, silent: true, data: {}, presentation: null }
    : { ...common, content, silent: false, data, presentation: quiet(presentation ?? {}) }
}

function quiet({ badge: _badge, badgeIncrement: _increment, ...shown }: Presentation): Presentation {
  return { ...shown, sound: 'none', interruptionLevel: 'passive' }
}
