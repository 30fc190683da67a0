import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { Time } from '../../ui/Time.tsx'
import { NewApp } from './NewApp.tsx'

/** Shows all apps, newest first. A Herald without apps shows the form that makes the first one. */
export function AppsPage() {
  const navigate = useNavigate()
  const { q } = useSearch({ from: '/' })
  const [isMaking, setMaking] = useState(false)
  const pages = usePages(['apps', q], async (cursor, signal) =>
    dataOf(await client.GET('/v1/admin/apps', { params: { query: { limit: 50, ...(q && { q }), ...(cursor && { cursor }) } }, signal })),
  )
  return (
    <Page
      title="Apps"
      lead="Each app has devices, credentials and keys of its own."
      actions={
        <Button needed="platform" variant="primary" onClick={() => setMaking(true)}>
          New app
        </Button>
      }
    >
      <Dialog open={isMaking} onClose={() => setMaking(false)} title="New app">
        <NewApp />
      </Dialog>
      <TextInput
        type="search"
        aria-label="Apps whose name contains"
        placeholder="Name contains"
        className="max-w-64"
        defaultValue={q ?? ''}
        onChange={(event) => void navigate({ to: '/', search: event.target.value === '' ? {} : { q: event.target.value }, replace: true })}
      />
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0}
        empty={
          q === undefined ? (
            <Card title="Create your first app">
              <NewApp />
            </Card>
          ) : (
            <Empty
              title="No app with this name"
              action={
                <Button needed="platform" onClick={() => setMaking(true)}>
                  New app
                </Button>
              }
            />
          )
        }
      >
        {() => (
          <div className="flex flex-col gap-3">
            <Table
              caption="Apps"
              rows={pages.items}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/apps/${id}/overview`}
              columns={[
                { key: 'name', label: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
                { key: 'zone', label: 'Time zone', cell: ({ settings }) => settings.defaultTimezone },
                { key: 'id', label: 'Id', cell: ({ id }) => <CopyText text={id} label="the app’s id" shown={id} /> },
                { key: 'made', label: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
            <LoadMore pages={pages} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
