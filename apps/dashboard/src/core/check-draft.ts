import { CreateCampaign } from '@herald/contracts/campaign'
import { Fault, type FaultDetail } from '@herald/contracts/fault'
import { checkFits } from '@herald/contracts/payload'
import { parseBody } from '@herald/contracts/validate'
import type { z } from 'zod'
import { bodyOfDraft, type CampaignDraft } from './campaign-draft.ts'
import { twiceIn } from './send-options-draft.ts'

/**
 * Gives the mistakes that a schema of the contracts finds in a body. Herald may find others when it gets the body, such as a segment that is gone.
 */
export function detailsOf(schema: z.ZodType, body: unknown): FaultDetail[] {
  try {
    parseBody(schema, body)
    return []
  } catch (error) {
    if (error instanceof Fault) return [...(error.details ?? [])]
    throw error
  }
}

/**
 * Gives the mistakes of a draft. Whether a content is too large is checked only when the contracts find no mistake. Each mistake has the path of its
 * field, as in an answer of the API.
 */
export function checkDraft(draft: CampaignDraft): FaultDetail[] {
  const body = bodyOfDraft(draft)
  const wrong = detailsOf(CreateCampaign, body).flatMap((detail) => inWords(detail, draft))
  const twice = twiceIn(draft.data).map((place) => ({
    path: `data.${draft.data[place]?.key}`,
    message: 'is written twice; keep one of them',
  }))
  if (wrong.length > 0) return [...wrong, ...twice]
  // What a category adds is known to Herald alone, and small.
  const { category: _category, ...sent } = body
  const large =
    body.experiment?.variants.flatMap(({ content }, place) =>
      checkFits({ ...sent, content }).map(({ path, message }) => ({ path: `experiment.variants.${place}.${path}`, message })),
    ) ?? checkFits(sent)
  return [...large, ...twice]
}

/** Changes a mistake that the contracts found into what the page shows. A saved segment that is not chosen yet has its own message. */
function inWords(detail: FaultDetail, { audience, experiment }: CampaignDraft): FaultDetail[] {
  // With an experiment the content is a copy of the first variant's text, and its mistakes are shown at that variant.
  if (experiment && /^content(\.|$)/.test(detail.path)) return []
  const isOpen = audience.kind === 'saved' && audience.segmentId === ''
  if (isOpen && detail.path === 'segmentId') return [{ path: 'segmentId', message: 'choose a segment' }]
  // The API names its field here; the page does not show that name.
  if (experiment?.auto && experiment.sampleRate >= 1 && detail.path === 'experiment.auto')
    return [{ path: detail.path, message: 'set the test group below 100 %, so that users are left for the winner' }]
  return [detail]
}

/** Gives the mistakes to show while an operator writes. An empty field counts as a mistake only after the operator asked for the review (`asked`). */
export function visibleDetails(details: readonly FaultDetail[], body: unknown, asked: boolean): FaultDetail[] {
  return details.filter(({ path }) => {
    if (asked) return true
    const value = valueAt(body, path)
    return value !== undefined && value !== ''
  })
}

/** Gives the value at a path of a body. Names of tags and data may contain dots, so the longest name that fits is taken. */
function valueAt(body: unknown, path: string): unknown {
  if (path === '') return body
  if (typeof body !== 'object' || body === null) return undefined
  const steps = path.split('.')
  for (let length = steps.length; length > 0; length -= 1) {
    const name = steps.slice(0, length).join('.')
    if (Object.hasOwn(body, name)) return valueAt((body as Record<string, unknown>)[name], steps.slice(length).join('.'))
  }
  return undefined
}

/**
 * Gives a function that finds the message of a mistake by the path of its field. The overrides of a platform are one field, which shows the first
 * mistake in its JSON.
 */
export const byPath = (details: readonly FaultDetail[]): ((path: string) => string | undefined) => {
  const messages = new Map(details.map(({ path, message }) => [path, message]))
  for (const { path, message } of details) {
    const [, field, rest] = /^(overrides\.\w+)\.(.+)$/.exec(path) ?? []
    if (field !== undefined && !messages.has(field)) messages.set(field, `${rest} ${message}`)
  }
  return (path) => messages.get(path)
}
