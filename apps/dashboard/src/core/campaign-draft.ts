import type { Experiment, Schedule } from '@herald/contracts/campaign'
import type { Content } from '@herald/contracts/content'
import { defaultTtlSeconds, type Bypass } from '@herald/contracts/send-fields'
import { textWithoutTags } from '@herald/contracts/placeholder'
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
/** How the winner of an experiment is picked by itself. */
export type AutoDraft = NonNullable<Experiment['auto']>
/** `auto`: absent when a person picks the winner. */
export type ExperimentDraft = { sampleRate: number; variants: readonly VariantDraft[]; auto?: AutoDraft | undefined }

/** A campaign while the operator writes it. */
export type CampaignDraft = OptionsDraft & {
  name: string
  audience: AudienceDraft
  templateId: string | null
  content: ContentDraft
  experiment: ExperimentDraft | null
  schedule: Schedule
  bypass: BypassDraft
  /** Whether people find the message in their inbox. */
  inbox: boolean
}
/** The rules of the app that a message does not obey. */
export type BypassDraft = { frequencyCap: boolean; quietHours: boolean; holdout?: boolean | undefined }

type VariantBody = { id: string; name: string; weight: number; content: Content }
type ExperimentBody = { sampleRate: number; variants: VariantBody[]; auto?: AutoDraft | undefined }

/** The fields of a stored campaign that a draft has. */
export type CampaignRead = OptionsRead & {
  name: string
  segment?: unknown
  segmentId: string | null
  templateId: string | null
  content: Content | null
  experiment: ExperimentBody | null
  schedule: Schedule | null
  bypass: Bypass
  inbox?: boolean | undefined
}

/** The body of the request that saves a draft. */
export type CampaignBody = OptionsBody & {
  name: string
  segment?: Record<string, unknown>
  segmentId?: string
  templateId?: string
  content?: Content
  experiment?: ExperimentBody
  schedule: Schedule
  bypass?: Bypass
  inbox?: true
}

export const emptyDraft: CampaignDraft = {
  ...emptyOptions,
  name: '',
  audience: { kind: 'everyone' },
  templateId: null,
  content: emptyContent(),
  experiment: null,
  schedule: { type: 'now' },
  bypass: { frequencyCap: false, quietHours: false, holdout: false },
  inbox: false,
}

const isSegment = (segment: unknown): segment is Record<string, unknown> =>
  typeof segment === 'object' && segment !== null && Object.keys(segment).length > 0

/** Gives a stored campaign as the editor holds it. */
export function draftOfCampaign(campaign: CampaignRead): CampaignDraft {
  const { name, segment, segmentId, templateId, content, experiment, schedule, bypass, inbox } = campaign
  const texts = {
    content: content === null ? emptyContent() : draftOfContent(content),
    experiment: experiment && {
      ...experiment,
      variants: experiment.variants.map((variant) => ({ ...variant, content: draftOfContent(variant.content) })),
    },
  }
  return {
    ...draftOfOptions(campaign),
    // A name that nobody wrote goes on following the title.
    name: name === nameOf({ name: '', ...texts }) ? '' : name,
    audience: segmentId !== null ? { kind: 'saved', segmentId } : isSegment(segment) ? { kind: 'own', segment } : { kind: 'everyone' },
    templateId,
    ...texts,
    schedule: schedule ?? { type: 'now' },
    bypass: { frequencyCap: bypass.frequencyCap === true, quietHours: bypass.quietHours === true, holdout: bypass.holdout === true },
    inbox: inbox === true,
  }
}

/**
 * Gives the body that saves a draft. A draft without a name is named after its title. A silent draft whose texts are all empty has no content. With
 * an experiment, the content is the first variant's.
 */
export function bodyOfDraft(draft: CampaignDraft): CampaignBody {
  const { audience, templateId, experiment, schedule, bypass, inbox } = draft
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
    if (experiment.auto) body.experiment.auto = experiment.auto
  }
  if (bypass.frequencyCap) body.bypass = { frequencyCap: true }
  if (bypass.quietHours) body.bypass = { ...body.bypass, quietHours: true }
  if (bypass.holdout) body.bypass = { ...body.bypass, holdout: true }
  if (inbox) body.inbox = true
  return body
}

/** Says whether Herald has filled in from the template a collapse id or a content that the saved body did not give. */
export const filledIn = (body: CampaignBody, stored: CampaignRead): boolean =>
  body.templateId !== undefined &&
  ((body.collapseId === undefined && (stored.collapseId ?? null) !== null) || (body.content === undefined && stored.content !== null))

const mostOfName = 200

/** Gives the name of a draft; while it has none, its title without placeholders, else "Untitled message". */
export function nameOf({ name, content, experiment }: Pick<CampaignDraft, 'name' | 'content' | 'experiment'>): string {
  if (name.trim() !== '') return name
  const { entries, fallback } = experiment?.variants[0]?.content ?? content
  const written = (entries.find(({ locale }) => locale === fallback) ?? entries[0])?.entry.title ?? ''
  // "Hello {{ name }}, welcome" becomes "Hello, welcome".
  const title = textWithoutTags(written)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[,.!?;:])/g, '')
    .trim()
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
export function addVariant(experiment: ExperimentDraft): ExperimentDraft {
  const { variants } = experiment
  const [first] = variants
  const name = ['A', 'B', 'C', 'D'].find((letter) => !variants.some(({ id }) => id === letter.toLowerCase()))
  if (!first || name === undefined || variants.length >= 4) return experiment
  return { ...experiment, variants: [...variants, { id: name.toLowerCase(), name, weight: 1, content: first.content }] }
}
