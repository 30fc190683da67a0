import type { components } from '../api/schema.gen.ts'

export type RecallMode = components['schemas']['RecallCampaignOfAppBody']['mode']
type Recallable = Pick<
  components['schemas']['CampaignWithRates'],
  'silent' | 'recallOf' | 'recurringOf' | 'schedule' | 'startedAt' | 'activity'
> & { stats: { sent: number } }

const dayMs = 86_400_000
/** A provider keeps no push for longer, so nothing older is recalled. */
const longestDays = 28

/** Whether devices may show something of a campaign that they can be asked to replace or remove. */
export function isRecallable({ silent, recallOf, recurringOf, schedule, startedAt, activity, stats }: Recallable, now: number): boolean {
  const isRecurrence = schedule?.type === 'recurring' && recurringOf === null
  if (silent || recallOf !== null || activity !== undefined || isRecurrence || startedAt === null) return false
  return stats.sent > 0 && now - Date.parse(startedAt) < longestDays * dayMs
}

/** What a recall asks devices, as its button says it. */
export const recallActions: Record<RecallMode, string> = {
  stop: 'Stop the send',
  replace: 'Replace notification',
  dismiss: 'Remove notification',
}

/** What a follow-up has asked devices to do. Nobody can say that they did. */
export const recallAsks = { replace: 'Replacement requested', dismiss: 'Removal requested' } as const

/** Says what each platform can do about a notification that it shows (spec: dashboard/recall). */
export const recallOnPlatforms: Record<Exclude<RecallMode, 'stop'>, readonly { platform: string; can: string }[]> = {
  replace: [
    { platform: 'iOS', can: 'The new text takes its place, without a sound.' },
    { platform: 'Android', can: 'The new text takes its place. Whether it makes a sound depends on the app’s channel.' },
    { platform: 'Browsers', can: 'The new text takes its place, without a sound.' },
  ],
  dismiss: [
    {
      platform: 'iOS',
      can: 'The app is woken and removes it. This may come late or never, and not at all when the person has force-quit the app.',
    },
    { platform: 'Android', can: 'The app is woken and removes it, but not when it was force-stopped.' },
    { platform: 'Browsers', can: 'They cannot remove it: each push must show something. They are skipped.' },
  ],
}
