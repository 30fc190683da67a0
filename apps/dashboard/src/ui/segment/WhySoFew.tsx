import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { faultOf } from '../../api/fault.ts'
import { countIds, readTree } from '../../core/segment-editor.ts'
import { largestDrop, stepsOf } from '../../core/why-so-few.ts'
import { Bar } from '../Bar.tsx'
import { Count } from '../Count.tsx'
import { previewSegment } from './preview-segment.ts'

/** Counts the devices after each condition, adding one condition at a time, and shows which condition loses the most. */
export function WhySoFew({ appId, definition }: { appId: string; definition: SegmentDefinition }) {
  const root = readTree(definition, countIds())
  const steps = root === 'unreadable' ? [] : stepsOf(root)
  // Under “any of these” each further condition can only add devices, so none of them is the largest drop.
  const isAny = root !== 'unreadable' && root?.kind === 'or'
  // The counts run one after the other, because a count may take seconds and loads the database that sends use too.
  const [reached, setReached] = useState(0)
  const counted = useQueries({
    queries: steps.map((step, place) => ({ ...countOf(appId, step.definition), enabled: place <= reached })),
  })
  const counts = counted.map(({ data }) => data?.count)
  const next = counts.indexOf(undefined)
  if (next > reached) setReached(next)
  const known = counts.filter((count) => count !== undefined)
  const isDone = known.length === counts.length
  const drop = isDone && !isAny ? largestDrop(known) : undefined
  const everyone = counts[0] ?? 0
  return (
    <div className="flex flex-col gap-2">
      <ol className="flex flex-col gap-1.5" aria-label="Devices left after each condition" aria-busy={!isDone}>
        {steps.map((step, place) => {
          const count = counts[place]
          const error = counted[place]?.error
          const before = counts[place - 1]
          const change = count === undefined || before === undefined ? undefined : count - before
          return (
            <li key={`${place} ${step.label}`} className="flex flex-col gap-0.5">
              <span className="flex justify-between gap-3">
                <span className={drop?.place === place ? 'min-w-0 font-semibold break-words' : 'min-w-0 break-words'}>{step.label}</span>
                <span className="whitespace-nowrap">
                  {error ? faultOf(error).message : count === undefined ? 'counting' : <Count value={count} />}
                  {change !== undefined && change !== 0 && <Change by={change} />}
                </span>
              </span>
              <Bar
                value={count ?? 0}
                of={everyone}
                label={`${count ?? 0} of ${everyone}`}
                kind={drop?.place === place ? 'warning' : 'good'}
              />
            </li>
          )
        })}
      </ol>
      {drop !== undefined && (
        <p>
          Biggest drop: “{steps[drop.place]?.label.replace(/^and /, '')}” excludes <Count value={drop.lost} /> of those who were left.
        </p>
      )}
      {isDone && drop === undefined && steps.length > 1 && !isAny && <p>No condition excludes anybody.</p>}
      {steps.length === 1 && <p className="text-muted">Everyone. Only devices that are opted in and have a valid token are counted.</p>}
    </div>
  )
}

function Change({ by }: { by: number }) {
  return (
    <span className="text-muted ml-2">
      {by < 0 ? '−' : '+'}
      <Count value={Math.abs(by)} />
    </span>
  )
}

const countOf = (appId: string, definition: SegmentDefinition) => ({
  queryKey: ['estimate', appId, { segment: definition }],
  queryFn: async ({ signal }: { signal: AbortSignal }) => ({ definition, ...(await previewSegment(appId, definition, signal)) }),
  staleTime: 30_000,
  gcTime: 60_000,
  retry: false,
})
