import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenCategory } from '@herald/contracts/category'
import { localesOf, type Content } from '@herald/contracts/content'
import type { LiveActivity } from '@herald/contracts/live-activity'
import type { Overrides } from '@herald/contracts/overrides'
import { maxTtlSeconds, type Presentation, type Priority, type SendFields } from '@herald/contracts/send-fields'

/** What a template gives to a send for the fields that the request leaves out; null where the template gives nothing. */
export type TemplateDefaults = {
  content: Content
  data: Record<string, string> | null
  presentation: Presentation | null
  overrides: Overrides | null
  ttl: number | null
  collapseId: string | null
  priority: Priority | null
  silent: boolean | null
  category?: string | null
  perMinute: number | null
}

/** What a category gives to a send: what is frozen of it, and the presentation under that of the template and of the request. */
export type CategoryDefaults = { category: FrozenCategory; presentation: Presentation | null }

const testMark = '[Test] '

/** Puts "[Test] " before the title of each locale. */
export function markTitles(content: Content | null): Content | null {
  if (content === null) return null
  const marked = localesOf(content).map(([locale, entry]) => [locale, { ...entry, title: `${testMark}${entry.title}` }] as const)
  return { ...content, ...Object.fromEntries(marked) }
}

type SendField = 'content' | 'silent' | 'data' | 'ttl' | 'collapseId' | 'priority' | 'presentation' | 'bypass'
/** The send fields after a template and the defaults are filled in. */
export type ResolvedSend = Pick<FrozenSend, SendField> & {
  overrides: Overrides | null
  category?: FrozenCategory | null
  inbox?: boolean
  activity?: LiveActivity | null
  perMinute: number | null
}

/**
 * Fills in a template and the defaults. A field of the request wins: its `data` replaces all the template's, and `silent: false` or `ttl: 0` counts
 * as given (spec: content/template-merge, categories/presentation). Default of ttl: `min(DEFAULT_TTL_SECONDS, 2419200)` (spec: sending/ttl).
 */
export function resolveSend(
  request: SendFields,
  template: TemplateDefaults | undefined,
  defaultTtlSeconds: number,
  category?: CategoryDefaults,
): ResolvedSend {
  const presentation = request.presentation ?? template?.presentation ?? null
  return {
    content: request.content ?? template?.content ?? null,
    silent: request.silent ?? template?.silent ?? false,
    data: request.data ?? template?.data ?? {},
    ttl: request.ttl ?? template?.ttl ?? Math.min(defaultTtlSeconds, maxTtlSeconds),
    collapseId: request.collapseId ?? template?.collapseId ?? null,
    priority: request.priority ?? template?.priority ?? 'high',
    presentation: category?.presentation ? laidOver(category.presentation, presentation) : presentation,
    overrides: request.overrides ?? template?.overrides ?? null,
    perMinute: request.sendRate?.perMinute ?? template?.perMinute ?? null,
    bypass: request.bypass ?? {},
    ...(category ? { category: category.category } : {}),
    ...(request.inbox ? { inbox: true } : {}),
  }
}

/** Lays a send's presentation over its category's. A badge and an increment exclude each other, so the send's takes the place of the other. */
function laidOver({ badge, badgeIncrement, ...under }: Presentation, own: Presentation | null): Presentation {
  const setsBadge = own?.badge !== undefined || own?.badgeIncrement !== undefined
  const ofCategory = { ...(badge === undefined ? {} : { badge }), ...(badgeIncrement === undefined ? {} : { badgeIncrement }) }
  return { ...under, ...(setsBadge ? {} : ofCategory), ...own }
}
