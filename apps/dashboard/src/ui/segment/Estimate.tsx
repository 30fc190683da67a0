import { platformNames, platforms } from '@herald/contracts/platform'
import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState, useEffect } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { Bar } from '../Bar.tsx'
import { Button } from '../Button.tsx'
import { Count } from '../Count.tsx'
import { ErrorNote } from '../ErrorNote.tsx'
import { Skeleton } from '../Skeleton.tsx'
import { Time } from '../Time.tsx'
import { previewSegment } from './preview-segment.ts'

/** The audience whose devices are counted. */
export type EstimateTarget = { segment: SegmentDefinition } | { segmentId: string } | { all: true }

/**
 * The estimate has at least this height while it loads, shows numbers or waits for a complete condition. So what is below it does not move when one
 * of these follows another.
 */
const height = 'min-h-36'

const WhySoFew = lazy(async () => ({ default: (await import('./WhySoFew.tsx')).WhySoFew }))

/** Gives the definition of a target. A saved segment is read, because the preview takes a definition and no id. */
async function definitionOf(appId: string, target: EstimateTarget, signal: AbortSignal): Promise<SegmentDefinition> {
  if ('segment' in target) return target.segment
  if ('all' in target) return {}
  const saved = await client.GET('/v1/admin/apps/{appId}/segments/{id}', { params: { path: { appId, id: target.segmentId } }, signal })
  return dataOf(saved).definition
}

/** Says whether a condition is unfinished or wrong, so that nothing is counted. */
async function isUnfinished(definition: SegmentDefinition): Promise<boolean> {
  const { problemOf } = await import('../../core/segment-mistakes.ts')
  return problemOf(definition) !== undefined
}

/** Shows how many devices a target reaches, by platform, 300 ms after its last change. Requests for earlier targets are aborted. */
export function Estimate({ appId, target }: { appId: string; target: EstimateTarget }) {
  const { value: settled, isSettled } = useSettled(target, 300)
  const [isAsking, setIsAsking] = useState(false)
  const query = useQuery({
    queryKey: ['estimate', appId, settled],
    queryFn: async ({ signal }) => {
      const definition = await definitionOf(appId, settled, signal)
      if (await isUnfinished(definition)) return 'unfinished'
      return { definition, ...(await previewSegment(appId, definition, signal)) }
    },
    placeholderData: (before) => before,
    staleTime: 5_000,
    gcTime: 60_000,
    retry: false,
  })
  const { error, dataUpdatedAt } = query
  const fault = error === null ? undefined : faultOf(error)
  if (query.data === 'unfinished' || fault?.status === 422) {
    return <p className={`text-muted ${height}`}>The number of devices is counted when every condition is complete.</p>
  }
  const { data } = query
  if (fault !== undefined && data === undefined) return <ErrorNote error={error} retry={() => void query.refetch()} />
  if (data === undefined)
    return (
      <div className={height}>
        <Skeleton lines={4} />
      </div>
    )
  const isOld = query.isPlaceholderData || !isSettled || query.isFetching
  return (
    <div className={`flex flex-col gap-2 ${height}`} aria-busy={isOld}>
      <p aria-live="polite" className={isOld ? 'text-muted' : undefined}>
        <strong className="text-2xl">
          <Count value={data.count} />
        </strong>{' '}
        {data.count === 1 ? 'device' : 'devices'} can be reached
      </p>
      <ul className={isOld ? 'flex flex-col gap-1 text-muted' : 'flex flex-col gap-1'}>
        {platforms.map((platform) => (
          <li key={platform} className="grid grid-cols-[4.5rem_1fr_5rem] items-center gap-2">
            <span>{platformNames[platform]}</span>
            <Bar
              value={data.byPlatform[platform]}
              of={data.count}
              label={`${platformNames[platform]}: ${data.byPlatform[platform]} of ${data.count}`}
            />
            <span className="text-right">
              <Count value={data.byPlatform[platform]} />
            </span>
          </li>
        ))}
      </ul>
      <p className="text-muted flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
        <span>
          Counted <Time at={new Date(dataUpdatedAt).toISOString()} precise />
          {fault !== undefined && ', and the last try failed'}
        </span>
        <Button variant="quiet" small aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {isAsking ? 'Close' : 'Breakdown by condition'}
        </Button>
      </p>
      {isAsking && (
        <Suspense fallback={<Skeleton lines={3} />}>
          <WhySoFew appId={appId} definition={data.definition} />
        </Suspense>
      )}
    </div>
  )
}

/** Gives the value as it was when it last stayed unchanged for `forMs` milliseconds. Values with equal JSON count as the same. */
function useSettled<T>(value: T, forMs: number): { value: T; isSettled: boolean } {
  const [settled, setSettled] = useState({ value, text: JSON.stringify(value) })
  const text = JSON.stringify(value)
  useEffect(() => {
    if (text === settled.text) return
    const timer = setTimeout(() => setSettled({ value, text }), forMs)
    return () => clearTimeout(timer)
  }, [value, text, settled.text, forMs])
  return { value: settled.value, isSettled: text === settled.text }
}
