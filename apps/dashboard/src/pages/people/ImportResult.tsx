import { platformNames, platforms } from '@herald/contracts/platform'
import { wordsOfRejection, wordsOfWarning } from '../../core/import-words.ts'
import { Count } from '../../ui/Count.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Time } from '../../ui/Time.tsx'
import { Status } from '../../ui/Status.tsx'
import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Section } from '../../ui/Section.tsx'
import { Table } from '../../ui/Table.tsx'
import type { ImportReport } from './send-import.ts'

/** Shows the counters of an import: rows = created + updated + kept + rejected. */
export function ImportResult({ report }: { report: ImportReport }) {
  const {
    rows,
    created,
    updated,
    kept,
    rejected,
    byCode,
    byPlatform,
    optedOut,
    warnings,
    rowsPerSecond,
    createdAt,
    endedAt,
    format,
    onExisting,
    web,
    columns,
  } = report
  const isPast = !report.dryRun
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <FactList
        items={[
          { label: 'Rows', value: <Count value={rows} /> },
          { label: isPast ? 'Created' : 'Would be created', value: <Count value={created} /> },
          { label: isPast ? 'Updated' : 'Would be updated', value: <Count value={updated} /> },
          { label: isPast ? 'Kept as they are' : 'Would be kept', value: <Count value={kept} /> },
          { label: 'Rejected', value: <Count value={rejected} /> },
          ...Object.entries(byCode).map(([code, count]) => ({
            label: `· ${code}`,
            value: (
              <>
                <Count value={count} /> <span className="text-muted">{wordsOfRejection[code] ?? ''}</span>
              </>
            ),
          })),
          ...Object.entries(warnings).map(([code, count]) => ({
            label: `Warning ${code}`,
            value: (
              <>
                <Count value={count} /> <span className="text-muted">{wordsOfWarning(code)}</span>
              </>
            ),
          })),
        ]}
      />
      <FactList
        items={[
          {
            label: 'Platforms',
            value: platforms.map((platform) => `${byPlatform[platform].toLocaleString('en')} ${platformNames[platform]}`).join(', '),
          },
          { label: 'Opted out', value: <Count value={optedOut} /> },
          { label: 'Format', value: <code className="font-mono text-xs">{format}</code> },
          { label: 'Known devices', value: onExisting === 'keep' ? 'are kept as they are' : 'are overwritten' },
          { label: 'Browsers', value: web === 'skip' ? 'are skipped' : 'are imported' },
          ...(columns === null
            ? []
            : [
                {
                  label: 'Columns',
                  value:
                    Object.entries(columns)
                      .map(([field, column]) => `${field} from ${column}`)
                      .join(', ') || 'by their own names',
                },
              ]),
          { label: 'Speed', value: rowsPerSecond === null ? '–' : `${Math.round(rowsPerSecond).toLocaleString('en')} rows a second` },
          { label: 'Started', value: <Time at={createdAt} precise /> },
          { label: 'Ended', value: endedAt === null ? 'not yet' : <Time at={endedAt} precise /> },
        ]}
      />
    </div>
  )
}

const looks = {
  receiving: { kind: 'busy', word: 'Receiving' },
  finished: { kind: 'good', word: 'Finished' },
  cancelled: { kind: 'off', word: 'Cancelled' },
} as const

/** Shows the state of an import. */
export function ImportStatus({ state }: { state: keyof typeof looks }) {
  return <Status kind={looks[state].kind}>{looks[state].word}</Status>
}

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
