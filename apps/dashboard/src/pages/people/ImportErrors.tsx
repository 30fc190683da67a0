import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Section } from '../../ui/Section.tsx'
import { Table } from '../../ui/Table.tsx'

/** Shows the first 10,000 rejected rows of an import, with the column and the reason. No value of the file is shown. */
export function ImportErrors({ importId, rejected }: { importId: string; rejected: number }) {
  const appId = useAppId()
  const pages = usePages(['import-errors', appId, importId, rejected], async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/apps/{appId}/imports/{id}/errors', {
        params: { path: { appId, id: importId }, query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      }),
    ),
  )
  return (
    <Section title="Rejected rows">
      <Loaded
        query={pages.query}
        isEmpty={() => pages.items.length === 0}
        empty={<p className="text-muted">Only browsers were skipped: these are counted and not listed.</p>}
      >
        {() => (
          <div className="flex flex-col gap-3">
            <p className="text-sm text-muted">The first 10,000. Rows are counted from 1, without the header and blank lines.</p>
            <Table
              caption="Rejected rows"
              rows={pages.items}
              rowKey={({ row, column, code }) => `${row} ${column ?? ''} ${code}`}
              columns={[
                { key: 'row', label: 'Row', align: 'right', cell: ({ row }) => row.toLocaleString('en') },
                {
                  key: 'column',
                  label: 'Column',
                  cell: ({ column }) => (column === null ? 'the row' : <code className="font-mono text-xs">{column}</code>),
                },
                { key: 'code', label: 'Code', cell: ({ code }) => <code className="font-mono text-xs">{code}</code> },
                { key: 'message', label: 'What is wrong', cell: ({ message }) => message },
              ]}
            />
            <LoadMore pages={pages} />
          </div>
        )}
      </Loaded>
    </Section>
  )
}
