import { useMemo } from 'react'
import { client, api } from '../../api/client.ts'
import type { CampaignDraft, VariantDraft } from '../../core/campaign-draft.ts'
import type { ContentDraft } from '../../core/content-draft.ts'
import { fieldsOfTemplate, type TemplateRead } from '../../core/template-draft.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { ContentEditor } from '../../ui/content/ContentEditor.tsx'
import { Tag } from '../../ui/Tag.tsx'
import type { OptionsDraft } from '../../core/send-options-draft.ts'
import { Tabs } from '../../ui/Tabs.tsx'
import type { Screen } from './useScreen.ts'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'

/** Lets the operator edit the texts of a message in each language. With an experiment these are the texts of the variant on screen. */
export function MessageAsk({
  appId,
  draft,
  onChange,
  errorAt,
  screen,
  template,
  dataKeys,
}: {
  appId: string
  draft: CampaignDraft
  onChange: (draft: CampaignDraft) => void
  errorAt: ErrorAt
  screen: Screen
  template: TemplateDraft | undefined
  dataKeys: readonly string[]
}) {
  const { experiment } = draft
  const { variant } = screen
  const change = (content: ContentDraft) =>
    onChange(
      experiment
        ? {
            ...draft,
            experiment: {
              ...experiment,
              variants: experiment.variants.map((one, place) => (place === variant ? { ...one, content } : one)),
            },
          }
        : { ...draft, content },
    )
  const path = experiment ? `experiment.variants.${variant}.content` : 'content'
  const own = errorAt(path)
  return (
    <div className="flex flex-col gap-4">
      {!experiment && <TemplateChoice appId={appId} draft={draft} onChange={onChange} template={template} />}
      {experiment && <VariantTabs variants={experiment.variants} variant={variant} onVariant={screen.setVariant} />}
      <ContentEditor
        value={screen.content}
        onChange={change}
        locale={screen.locale}
        onLocale={screen.setLocale}
        tags={screen.tags}
        dataKeys={dataKeys}
        errorAt={(place) => errorAt(`${path}.${place}`)}
        template={experiment ? undefined : template?.content}
        languages={screen.languages}
      />
      {own !== undefined && <p className="text-sm text-bad">The message {own}</p>}
    </div>
  )
}

/**
 * Lets the operator copy the texts and options of a template into the message, or detach the message from its template. Later changes of the template
 * do not change the message.
 */
function TemplateChoice({
  appId,
  draft,
  onChange,
  template,
}: {
  appId: string
  draft: CampaignDraft
  onChange: (draft: CampaignDraft) => void
  template: TemplateDraft | undefined
}) {
  const load = async (q: string, signal: AbortSignal) => {
    const query = q.trim() === '' ? { limit: 50 } : { q: q.trim(), limit: 50 }
    const { data } = await client.GET('/v1/admin/apps/{appId}/templates', { params: { path: { appId }, query }, signal })
    return data?.items.map(({ id, name, description }) => ({ value: id, label: name, hint: description ?? undefined })) ?? []
  }
  const take = async (id: string) => {
    const { data } = await client.GET('/v1/admin/apps/{appId}/templates/{id}', { params: { path: { appId, id } } })
    if (data) onChange({ ...draft, ...fieldsOfTemplate(data), templateId: data.id })
  }
  if (draft.templateId === null) {
    return (
      <div className="max-w-72">
        <Combobox
          label="Start from a template"
          placeholder="Start from a template"
          value={undefined}
          load={load}
          onChange={(id) => void take(id)}
        />
      </div>
    )
  }
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
      Based on <Tag>{template?.name ?? 'a template'}</Tag>
      <Button small variant="quiet" onClick={() => onChange({ ...draft, templateId: null })}>
        Unlink template
      </Button>
    </p>
  )
}

/** The fields of a template that a draft takes over. */
export type TemplateDraft = { id: string; name: string; content: ContentDraft; options: OptionsDraft }

function templateDraft(data: TemplateRead & { id: string; name: string }): TemplateDraft {
  const { content, ...options } = fieldsOfTemplate(data)
  return { id: data.id, name: data.name, content, options }
}

/** Reads the template of a draft; undefined when the draft has none, and until it has been read. */
export function useTemplate(appId: string, templateId: string | null): TemplateDraft | undefined {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/templates/{id}',
    { params: { path: { appId, id: templateId ?? '' } } },
    { enabled: templateId !== null, staleTime: 30_000, retry: false },
  )
  return useMemo(() => (templateId === null || data === undefined ? undefined : templateDraft(data)), [templateId, data])
}

/** Lets the operator choose which variant of an experiment is on screen. */
export function VariantTabs({
  variants,
  variant,
  onVariant,
}: {
  variants: readonly VariantDraft[]
  variant: number
  onVariant: (place: number) => void
}) {
  return (
    <Tabs
      label="Variants"
      value={String(variant)}
      onChange={(place) => onVariant(Number(place))}
      items={variants.map(({ name }, place) => ({ value: String(place), label: `Variant ${name}` }))}
    />
  )
}
