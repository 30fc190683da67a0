import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Count } from '../../ui/Count.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Section } from '../../ui/Section.tsx'
import { Table } from '../../ui/Table.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { Time } from '../../ui/Time.tsx'
import { ImportStatus } from './ImportResult.tsx'
import { NewImport } from './NewImport.tsx'
import { OneImport } from './OneImport.tsx'
import type { ImportReport } from './send-import.ts'

/** Shows the imports of the last 30 days, one import, or the form of a new one. */
export function Imports() {
  const appId = useAppId()
  const { import: shown } = useSearch({ from: '/apps/$appId/people' })
  const navigate = useNavigate({ from: '/apps/$appId/people' })
  // The files of the imports that the operator began on this page. They are in memory only.
  const files = useRef(new Map<string, File>())
  const [isNew, setNew] = useState(false)
  const pages = usePages(['imports', appId], async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/apps/{appId}/imports', {
        params: { path: { appId }, query: { limit: 20, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      }),
    ),
  )
  const open = (id: string | undefined): void => void navigate({ search: { tab: 'imports', ...(id === undefined ? {} : { import: id }) } })
  const begun = (report: ImportReport, file: File): void => {
    files.current.set(report.id, file)
    setNew(false)
    void pages.query.refetch()
    open(report.id)
  }
  if (shown !== undefined)
    return (
      <OneImport
        key={shown}
        importId={shown}
        file={files.current.get(shown)}
        onBack={() => (void pages.query.refetch(), open(undefined))}
        onBegun={begun}
      />
    )
  if (isNew) return <NewImport onBegun={begun} onClose={() => setNew(false)} />

  const add = (
    <Button variant="primary" onClick={() => setNew(true)}>
      New import
    </Button>
  )
  return (
    <Loaded
      query={pages.query}
      isEmpty={() => pages.items.length === 0}
      empty={
        <Empty title="No import yet" action={add}>
          Import devices from OneSignal, or from a database of your own, by a file. Nobody has to opt in again. A dry run comes first and
          imports nothing.
        </Empty>
      }
    >
      {() => (
        <Section title="Imports" actions={add}>
          <Table
            caption="Imports"
            rows={pages.items}
            rowKey={({ id }) => id}
            onOpen={({ id }) => open(id)}
            columns={[
              { key: 'at', label: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                key: 'state',
                label: 'State',
                cell: ({ state, dryRun }) => (
                  <span className="flex gap-1">
                    <ImportStatus state={state} />
                    {dryRun && <Tag>dry run</Tag>}
                  </span>
                ),
              },
              { key: 'format', label: 'Format', cell: ({ format }) => <code className="font-mono text-xs">{format}</code> },
              { key: 'rows', label: 'Rows', align: 'right', cell: ({ rows }) => <Count value={rows} /> },
              { key: 'created', label: 'Created', align: 'right', cell: ({ created }) => <Count value={created} /> },
              { key: 'updated', label: 'Updated', align: 'right', cell: ({ updated }) => <Count value={updated} /> },
              { key: 'kept', label: 'Kept', align: 'right', cell: ({ kept }) => <Count value={kept} /> },
              { key: 'rejected', label: 'Rejected', align: 'right', cell: ({ rejected }) => <Count value={rejected} /> },
            ]}
          />
          <LoadMore pages={pages} />
        </Section>
      )}
    </Loaded>
  )
}
