import { describeDraftAudience } from './audience-text.ts'
import type { CampaignDraft } from './campaign-draft.ts'
import { nameOfLocale } from './locale-tabs.ts'
import { whenOf } from './send-label.ts'
import { perMinuteText } from './send-rate.ts'
import { some } from './spans.ts'

/** The four steps of the composer, in their order. */
export const steps = ['audience', 'message', 'schedule', 'options'] as const
export type StepName = (typeof steps)[number]

/** Says in a line of words what a step holds, for when it is folded. */
export function stepText(step: StepName, draft: CampaignDraft, now: Date): string {
  switch (step) {
    case 'audience':
      return describeDraftAudience(draft.audience)
    case 'message':
      return messageText(draft)
    case 'schedule':
      return capital(whenOf(draft.schedule, now))
    case 'options':
      return optionsText(draft)
  }
}

function messageText({ silent, content, experiment }: CampaignDraft): string {
  if (silent) return 'Silent: it shows nothing'
  const { entries, fallback } = experiment?.variants[0]?.content ?? content
  const { title = '' } = (entries.find(({ locale }) => locale === fallback) ?? entries[0])?.entry ?? {}
  const languages = entries.map(({ locale }) => nameOfLocale(locale)).join(', ')
  return `${title.trim() === '' ? 'Nothing written yet' : title} · ${languages}`
}

function optionsText({
  experiment,
  bypass,
  silent,
  data,
  ttl,
  collapseId,
  priority,
  presentation,
  overrides,
  category,
  sendRate,
  inbox,
}: CampaignDraft): string {
  const parts = [
    experiment && `A/B test of ${some(experiment.variants.length, 'variant', 'variants')}`,
    category !== '' && `category ${category}`,
    inbox && 'in the inbox',
    sendRate && perMinuteText(sendRate.perMinute),
    bypass.frequencyCap && 'ignores the frequency cap',
    bypass.quietHours && 'ignores quiet hours',
    bypass.holdout === true && 'includes the control group',
    silent && 'silent',
    data.length > 0 && some(data.length, 'data field', 'data fields'),
    ttl !== null && 'custom time to live',
    collapseId !== '' && 'replaces earlier ones',
    priority !== 'high' && `${priority} priority`,
    Object.values(presentation).some((value) => value !== '' && value !== null) && 'custom sound or badge',
    Object.values(overrides).some((json) => json.trim() !== '') && 'provider fields',
  ].filter((part) => part !== false && part !== null)
  return parts.length === 0 ? 'Default settings' : capital(parts.join(', '))
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Gives the step in which the field with this path of the API is. */
export function stepOfPath(path: string): StepName {
  if (path.startsWith('segment')) return 'audience'
  if (path.startsWith('schedule')) return 'schedule'
  return path === 'content' || /^(content|experiment\.variants\.\d+\.content)(\.|$)/.test(path) || path === 'name' || path === ''
    ? 'message'
    : 'options'
}
