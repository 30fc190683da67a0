import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { components } from '../../api/schema.gen.ts'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { useAppId } from '../../session/useAppId.ts'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Count } from '../../ui/Count.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { Time } from '../../ui/Time.tsx'

type Template = components['schemas']['TemplatesOfApp']['items'][number]

/** Shows the app's templates: texts and options with which a message can begin. */
export function TemplatesPage() {
  const appId = useAppId()
  const { q } = useSearch({ from: '/apps/$appId/templates' })
  const navigate = useNavigate()
  const pages = usePages(['templates', appId, q], async (cursor, signal) => {
    const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }), ...(q === undefined ? {} : { q }) }
    return dataOf(await client.GET('/v1/admin/apps/{appId}/templates', { params: { path: { appId }, query }, signal }))
  })
  const add = (
    <ButtonLink
      needed="send"
      to="/apps/$appId/templates/$templateId"
      params={{ appId, templateId: 'new' }}
      variant="primary"
      icon={<Plus size={14} aria-hidden />}
    >
      New template
    </ButtonLink>
  )
  const search = (text: string) =>
    void navigate({ to: '.', search: (before) => ({ ...before, q: text === '' ? undefined : text }), replace: true })
  return (
    <Page
      title="Templates"
      lead="Reusable content and settings. Messages keep their own copy, so later changes of the template do not affect them."
      guide="personalisation"
      actions={add}
    >
      <TextInput
        type="search"
        aria-label="Filter by name"
        placeholder="Filter by name"
        data-filter
        defaultValue={q ?? ''}
        onChange={({ target }) => search(target.value.trim())}
        className="max-w-72"
      />
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0}
        empty={
          q === undefined ? (
            <Empty title="No templates yet" action={add}>
              A template holds what a message says in each language. Your backend can send it by its id, and your team can start a message
              from it.
            </Empty>
          ) : (
            <Empty drawing="found" title="No templates found" />
          )
        }
      >
        {() => (
          <>
            <Table
              caption="Templates"
              columns={columns}
              rows={pages.items}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/apps/${appId}/templates/${id}`}
            />
            <LoadMore pages={pages} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const localesOf = ({ content }: Template): string[] => Object.keys(content).filter((key) => key !== '_default')

const columns = [
  {
    key: 'name',
    label: 'Name',
    cell: ({ name, description }: Template) => (
      <>
        <span className="font-medium">{name}</span>
        {description !== null && <span className="block text-sm text-muted">{description}</span>}
      </>
    ),
  },
  { key: 'locales', label: 'Languages', cell: (template: Template) => localesOf(template).join(', ') },
  { key: 'uses', label: 'Used by', align: 'right' as const, cell: ({ useCount }: Template) => <Count value={useCount} /> },
  { key: 'changed', label: 'Changed', cell: ({ updatedAt }: Template) => <Time at={updatedAt} /> },
]
