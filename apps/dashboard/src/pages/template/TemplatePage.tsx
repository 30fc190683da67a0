import { useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { emptyTemplate, formOfTemplate } from '../../core/template-draft.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { TemplateEditor } from './TemplateEditor.tsx'

/** Shows a template, or the form of a new one. */
export function TemplatePage() {
  const appId = useAppId()
  const { templateId } = useParams({ from: '/apps/$appId/templates/$templateId' })
  const isNew = templateId === 'new'
  const query = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/templates/{id}',
    { params: { path: { appId, id: templateId } } },
    { enabled: !isNew, staleTime: Infinity, refetchOnMount: 'always' },
  )
  if (isNew) return <TemplateEditor key="new" appId={appId} stored={undefined} initial={emptyTemplate} />
  if (query.data !== undefined && !query.isFetching) {
    return (
      <TemplateEditor key={query.data.id + query.data.updatedAt} appId={appId} stored={query.data} initial={formOfTemplate(query.data)} />
    )
  }
  return (
    <Page title="Template">
      <Loaded query={{ ...query, data: undefined }}>{() => null}</Loaded>
    </Page>
  )
}
