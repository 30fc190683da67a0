import { platformNames, platforms } from '@herald/contracts/platform'
import { wordsOfRejection } from '../../core/import-words.ts'
import { Count } from '../../ui/Count.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Time } from '../../ui/Time.tsx'
import { Status } from '../../ui/Status.tsx'
import type { ImportReport } from './Imports.tsx'

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
          ...Object.entries(warnings).map(([code, count]) => ({ label: `Warning ${code}`, value: <Count value={count} /> })),
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
          { label: 'Known devices', value: onExisting === 'keep' ? 'are kept as they are' : 'are written over' },
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
          { label: 'Begun', value: <Time at={createdAt} precise /> },
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
