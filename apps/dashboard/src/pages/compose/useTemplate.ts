import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import type { ContentDraft } from '../../core/content-draft.ts'
import type { OptionsDraft } from '../../core/send-options-draft.ts'
import { fieldsOfTemplate, type TemplateRead } from '../../core/template-draft.ts'

/** The fields of a template that a draft takes over. */
export type TemplateDraft = { id: string; name: string; content: ContentDraft; options: OptionsDraft }

function templateDraft(data: TemplateRead & { id: string; name: string }): TemplateDraft {
  const { content, ...options } = fieldsOfTemplate(data)
  return { id: data.id, name: data.name, content, options }
}

/** Reads the template of a draft; undefined when the draft has none, or while it is being read. */
export function useTemplate(appId: string, templateId: string | null): TemplateDraft | undefined {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/templates/{id}',
    { params: { path: { appId, id: templateId ?? '' } } },
    { enabled: templateId !== null, staleTime: 30_000, retry: false },
  )
  return useMemo(() => (templateId === null || data === undefined ? undefined : templateDraft(data)), [templateId, data])
}
