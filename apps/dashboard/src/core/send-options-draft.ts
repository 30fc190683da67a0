import type { Overrides } from '@herald/contracts/overrides'
import { perPlatform, platforms, type Platform } from '@herald/contracts/platform'
import type { CustomData, Presentation, Priority, SendRate } from '@herald/contracts/send-fields'

/** The options of a campaign or a template while they are edited. An empty text is left out when they are saved. */
export type OptionsDraft = {
  silent: boolean
  data: readonly { key: string; value: string }[]
  /** For how long a provider keeps the push for an offline device, in seconds; null for Herald's default. */
  ttl: number | null
  collapseId: string
  priority: Priority
  presentation: PresentationDraft
  overrides: OverridesDraft
  /** The id of the category; empty for none. */
  category: string
  /** The highest number of pushes a minute; null for no limit. */
  sendRate: SendRate | null
}
/** The overrides of each platform as the operator writes them: JSON, or what is not JSON yet. */
export type OverridesDraft = Record<Platform, string>
export type PresentationDraft = {
  sound: string
  badge: number | null
  /** By how much the number on the icon is raised. A badge takes its place. */
  badgeIncrement: number | null
  threadId: string
  icon: string
  interruptionLevel: NonNullable<Presentation['interruptionLevel']> | ''
  relevanceScore: number | null
  channelId: string
}

const emptyPresentation: PresentationDraft = {
  sound: '',
  badge: null,
  badgeIncrement: null,
  threadId: '',
  icon: '',
  interruptionLevel: '',
  relevanceScore: null,
  channelId: '',
}
export const emptyOptions: OptionsDraft = {
  silent: false,
  data: [],
  ttl: null,
  collapseId: '',
  priority: 'high',
  presentation: emptyPresentation,
  overrides: perPlatform(() => ''),
  category: '',
  sendRate: null,
}

/** The options in an answer of the API. A field that is null and one that is missing mean the same. */
export type OptionsRead = {
  silent?: boolean | null | undefined
  data?: CustomData | null | undefined
  ttl?: number | null | undefined
  collapseId?: string | null | undefined
  priority?: Priority | null | undefined
  presentation?: Presentation | null | undefined
  overrides?: Overrides | null | undefined
  category?: string | null | undefined
  sendRate?: SendRate | null | undefined
}

/** The options in a request. */
export type OptionsBody = {
  silent?: boolean
  data?: CustomData
  ttl?: number
  collapseId?: string
  priority?: Priority
  presentation?: Presentation
  overrides?: Overrides
  category?: string
  sendRate?: SendRate
}

export function draftOfOptions({
  silent,
  data,
  ttl,
  collapseId,
  priority,
  presentation,
  overrides,
  category,
  sendRate,
}: OptionsRead): OptionsDraft {
  return {
    silent: silent ?? false,
    data: Object.entries(data ?? {}).map(([key, value]) => ({ key, value })),
    ttl: ttl ?? null,
    collapseId: collapseId ?? '',
    priority: priority ?? 'high',
    presentation: draftOfPresentation(presentation ?? {}),
    overrides: draftOfOverrides(overrides ?? {}),
    category: category ?? '',
    sendRate: sendRate ?? null,
  }
}

export const draftOfPresentation = (given: Presentation): PresentationDraft => ({
  sound: given.sound ?? '',
  badge: given.badge ?? null,
  badgeIncrement: given.badgeIncrement ?? null,
  threadId: given.threadId ?? '',
  icon: given.icon ?? '',
  interruptionLevel: given.interruptionLevel ?? '',
  relevanceScore: given.relevanceScore ?? null,
  channelId: given.channelId ?? '',
})

const draftOfOverrides = (given: Overrides): OverridesDraft =>
  perPlatform((platform) => (given[platform] === undefined ? '' : JSON.stringify(given[platform], null, 2)))

/**
 * Gives the options of a campaign, a test or a template for a request, without those that are empty. When two rows of `data` have the same key, the
 * value of the last one counts; `twiceIn` finds such rows.
 */
export function optionsOfDraft({
  silent,
  data,
  ttl,
  collapseId,
  priority,
  presentation,
  overrides,
  category,
  sendRate,
}: OptionsDraft): OptionsBody {
  const body: OptionsBody = { silent, data: Object.fromEntries(data.map(({ key, value }) => [key, value])), priority }
  if (ttl !== null) body.ttl = ttl
  if (collapseId !== '') body.collapseId = collapseId
  const shown = presentationOfDraft(presentation)
  if (Object.keys(shown).length > 0) body.presentation = shown
  const added = overridesOfDraft(overrides)
  if (Object.keys(added).length > 0) body.overrides = added
  if (category !== '') body.category = category
  if (sendRate !== null) body.sendRate = sendRate
  return body
}

/** Gives the overrides for a request. What is no JSON yet is given as text, which the contracts and Herald refuse at its path. */
const overridesOfDraft = (draft: OverridesDraft): Overrides =>
  Object.fromEntries(platforms.flatMap((platform) => (draft[platform].trim() === '' ? [] : [[platform, parsed(draft[platform])]])))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function presentationOfDraft(draft: PresentationDraft): Presentation {
  const shown: Presentation = {}
  if (draft.sound !== '') shown.sound = draft.sound
  if (draft.badge !== null) shown.badge = draft.badge
  else if (draft.badgeIncrement !== null) shown.badgeIncrement = draft.badgeIncrement
  if (draft.threadId !== '') shown.threadId = draft.threadId
  if (draft.icon !== '') shown.icon = draft.icon
  if (draft.interruptionLevel !== '') shown.interruptionLevel = draft.interruptionLevel
  if (draft.relevanceScore !== null) shown.relevanceScore = draft.relevanceScore
  if (draft.channelId !== '') shown.channelId = draft.channelId
  return shown
}

/** Gives the places in `data` whose key an earlier row has too. */
export const twiceIn = (data: OptionsDraft['data']): number[] =>
  data.flatMap(({ key }, place) => (key !== '' && data.findIndex((other) => other.key === key) < place ? [place] : []))
