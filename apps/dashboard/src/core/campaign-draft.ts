import type { Schedule } from '@herald/contracts/campaign'
import type { Content } from '@herald/contracts/content'
import { defaultTtlSeconds, type Bypass } from '@herald/contracts/send-fields'
import { firstCodePoints } from '@herald/contracts/text'
import { contentOfDraft, draftOfContent, emptyContent, isBlank, type ContentDraft } from './content-draft.ts'
import {
  draftOfOptions,
  emptyOptions,
  optionsOfDraft,
  type OptionsBody,
  type OptionsDraft,
  type OptionsRead,
} from './send-options-draft.ts'

export type AudienceDraft = { kind: 'everyone' } | { kind: 'saved'; segmentId: string } | { kind: 'own'; segment: Record<string, unknown> }
export type VariantDraft = { id: string; name: string; weight: number; content: ContentDraft }
export type ExperimentDraft = { sampleRate: number; variants: readonly VariantDraft[] }

/** A campaign while the operator writes it. */
export type CampaignDraft = OptionsDraft & {
  name: string
  audience: AudienceDraft
  templateId: string | null
  content: ContentDraft
  experiment: ExperimentDraft | null
  schedule: Schedule
  bypass: { frequencyCap: boolean; quietHours: boolean }
}

/** The fields of a stored campaign that a draft has. */
export type CampaignRead = OptionsRead & {
  name: string
  segment?: unknown
  segmentId: string | null
  templateId: string | null
  content: Content | null
  experiment: { sampleRate: number; variants: { id: string; name: string; weight: number; content: Content }[] } | null
  schedule: Schedule | null
  bypass: Bypass
}

/** The body of the request that saves a draft. */
export type CampaignBody = OptionsBody & {
  name: string
  segment?: Record<string, unknown>
  segmentId?: string
  templateId?: string
  content?: Content
  experiment?: { sampleRate: number; variants: { id: string; name: string; weight: number; content: Content }[] }
  schedule: Schedule
  bypass?: Bypass
}

export const emptyDraft: CampaignDraft = {
  ...emptyOptions,
  name: '',
  audience: { kind: 'everyone' },
  templateId: null,
  content: emptyContent(),
  experiment: null,
  schedule: { type: 'now' },
  bypass: { frequencyCap: false, quietHours: false },
}

const isSegment = (segment: unknown): segment is Record<string, unknown> =>
  typeof segment === 'object' && segment !== null && Object.keys(segment).length > 0

/** Gives a stored campaign as the editor holds it. */
export function draftOfCampaign(campaign: CampaignRead): CampaignDraft {
  const { name, segment, segmentId, templateId, content, experiment, schedule, bypass } = campaign
  return {
    ...draftOfOptions(campaign),
    name,
    audience: segmentId !== null ? { kind: 'saved', segmentId } : isSegment(segment) ? { kind: 'own', segment } : { kind: 'everyone' },
    templateId,
    content: content === null ? emptyContent() : draftOfContent(content),
    experiment: experiment && {
      sampleRate: experiment.sampleRate,
      variants: experiment.variants.map((variant) => ({ ...variant, content: draftOfContent(variant.content) })),
    },
    schedule: schedule ?? { type: 'now' },
    bypass: { frequencyCap: bypass.frequencyCap === true, quietHours: bypass.quietHours === true },
  }
}

/**
 * Gives the body that saves a draft. A draft without a name is named after its title. A silent draft whose texts are all empty has no content. With
 * an experiment, the content is the first variant's.
 */
export function bodyOfDraft(draft: CampaignDraft): CampaignBody {
  const { audience, templateId, experiment, schedule, bypass } = draft
  const content = experiment?.variants[0]?.content ?? draft.content
  const body: CampaignBody = { name: nameOf(draft), schedule, ...optionsOfDraft(draft) }
  if (audience.kind === 'own') body.segment = audience.segment
  if (audience.kind === 'saved') body.segmentId = audience.segmentId
  // Herald fills in from the template what the body leaves out, so the body names what is empty. A collapse id and a content cannot be given as
  // empty; `filledIn` finds out whether Herald filled them in.
  if (templateId !== null) {
    body.templateId = templateId
    body.ttl ??= defaultTtlSeconds
    body.presentation ??= {}
    body.overrides ??= {}
  }
  if (!draft.silent || !isBlank(content)) body.content = contentOfDraft(content)
  if (experiment) {
    const variants = experiment.variants.map((variant) => ({ ...variant, content: contentOfDraft(variant.content) }))
    body.experiment = { sampleRate: experiment.sampleRate, variants }
  }
  if (bypass.frequencyCap) body.bypass = { frequencyCap: true }
  if (bypass.quietHours) body.bypass = { ...body.bypass, quietHours: true }
  return body
}

/** Says whether Herald has filled in from the template a collapse id or a content that the saved body did not give. */
export const filledIn = (body: CampaignBody, stored: CampaignRead): boolean =>
  body.templateId !== undefined &&
  ((body.collapseId === undefined && (stored.collapseId ?? null) !== null) || (body.content === undefined && stored.content !== null))

const mostOfName = 200

/** Gives the name of a draft; while it has none, its title, else "Untitled message". */
export function nameOf({ name, content, experiment }: Pick<CampaignDraft, 'name' | 'content' | 'experiment'>): string {
  if (name.trim() !== '') return name
  const { entries, fallback } = experiment?.variants[0]?.content ?? content
  const title = (entries.find(({ locale }) => locale === fallback) ?? entries[0])?.entry.title.trim() ?? ''
  return title === '' ? 'Untitled message' : firstCodePoints(title, mostOfName)
}

/** Says whether nothing was written yet, so that there is nothing to save. */
export const isUntouched = (draft: CampaignDraft): boolean => JSON.stringify(bodyOfDraft(draft)) === JSON.stringify(bodyOfDraft(emptyDraft))

/** Begins an experiment. The present text becomes variant A, and variant B is a copy. */
export function beginExperiment(draft: CampaignDraft): CampaignDraft {
  const variants = ['A', 'B'].map((name) => ({ id: name.toLowerCase(), name, weight: 1, content: draft.content }))
  return { ...draft, experiment: { sampleRate: 1, variants } }
}

/** Ends an experiment. The first variant's text becomes the text of the message. */
export const endExperiment = (draft: CampaignDraft): CampaignDraft => ({
  ...draft,
  content: draft.experiment?.variants[0]?.content ?? draft.content,
  experiment: null,
})

/** Adds a variant with a copy of the first variant's text. An experiment has at most four. */
export function addVariant({ sampleRate, variants }: ExperimentDraft): ExperimentDraft {
  const [first] = variants
  const name = ['A', 'B', 'C', 'D'].find((letter) => !variants.some(({ id }) => id === letter.toLowerCase()))
  if (!first || name === undefined || variants.length >= 4) return { sampleRate, variants }
  return { sampleRate, variants: [...variants, { id: name.toLowerCase(), name, weight: 1, content: first.content }] }
}
