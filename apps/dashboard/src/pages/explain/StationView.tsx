import { Check, ChevronRight, CircleX, Hourglass, Info, Minus } from 'lucide-react'
import { clsx } from 'clsx'
import { remedyOfCode, type Station, type StationResult } from '../../core/explain-stations.ts'
import type { Clock, Fact } from '../../core/explain-facts.ts'
import type { Platform } from '@herald/contracts/platform'
import { useAppId } from '../../session/useAppId.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { SegmentTree } from './SegmentTree.tsx'

const looks: Readonly<Record<StationResult, { Icon: typeof Check; word: string; look: string }>> = {
  stop: { Icon: CircleX, word: 'Stopped here', look: 'bg-bad-soft text-bad' },
  wait: { Icon: Hourglass, word: 'Waiting here', look: 'bg-warning-soft text-warning' },
  pass: { Icon: Check, word: 'Passed', look: 'bg-good-soft text-good' },
  info: { Icon: Info, word: 'Info', look: 'bg-busy-soft text-busy' },
  none: { Icon: Minus, word: 'Not evaluated', look: 'bg-sunken text-muted' },
}

/** Shows a station of a trace. A closed station is one line; an open one shows facts from the time of the send beside present facts. */
export function StationView({
  station,
  number,
  isOpen,
  platform,
}: {
  station: Station
  number: number
  isOpen: boolean
  platform: Platform | null
}) {
  const { Icon, word, look } = looks[station.result]
  const hasMore = station.facts.length > 0 || station.segment !== null || station.attempts.length > 0
  const line = (
    <>
      <span className={clsx('grid size-6 shrink-0 place-items-center rounded-full', look)}>
        <Icon size={14} aria-hidden />
        <span className="sr-only">{word}:</span>
      </span>
      <span className="w-36 shrink-0 font-medium max-[480px]:w-auto">
        <span className="sr-only">Step {number}, </span>
        {station.label}
      </span>
      <span
        className={clsx(
          'min-w-0 flex-1 break-words max-[480px]:order-2 max-[480px]:basis-full max-[480px]:pl-9',
          station.result === 'none' && 'text-muted',
        )}
      >
        {station.summary}
      </span>
    </>
  )
  const row = 'flex flex-wrap items-center gap-3 px-4 py-2.5'
  return (
    <li className="border-b border-line last:border-0" data-station={station.name} data-result={station.result}>
      {hasMore ? (
        <details open={isOpen} className="group">
          <summary className={clsx(row, 'list-none hover:bg-hover focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden')}>
            {line}
            <ChevronRight
              size={16}
              className="shrink-0 text-muted transition-transform group-open:rotate-90 max-[480px]:order-1 max-[480px]:ml-auto"
              aria-hidden
            />
          </summary>
          <div className="flex flex-col gap-4 px-4 pt-1 pb-4 pl-13 max-[480px]:pl-4">
            <More station={station} platform={platform} />
          </div>
        </details>
      ) : (
        <div className={row}>{line}</div>
      )}
    </li>
  )
}

function More({ station: { facts, segment, attempts, result }, platform }: { station: Station; platform: Platform | null }) {
  const remedy = result === 'stop' || result === 'wait' ? remedyOfCode(facts, attempts, platform) : null
  return (
    <>
      {segment !== null && <SegmentTree tree={segment.tree} changedSince={segment.changedSince} />}
      <div className={clsx('grid items-start gap-4', new Set(facts.map(({ clock }) => clock)).size > 1 && 'sm:grid-cols-2')}>
        <FactsOfClock clock="then" title="When it was sent" facts={facts} />
        <FactsOfClock clock="now" title="Now" facts={facts} />
      </div>
      {attempts.length > 0 && (
        <div>
          <h3 className="mb-1 text-sm font-medium">Attempts</h3>
          <ol className="flex flex-col gap-1">
            {attempts.map(({ n, at, code, providerCode }) => (
              <li key={n} className="flex flex-wrap gap-x-3">
                <span className="tabular-nums">{n}.</span> <Time at={at} precise />
                <span className="font-mono text-xs">{[code ?? 'accepted', providerCode].filter((word) => word !== null).join(' · ')}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
      {remedy !== null && (
        <p className="rounded-md border border-line bg-sunken px-3 py-2">
          <span className="font-medium">What to do: </span>
          {remedy}
        </p>
      )}
    </>
  )
}

function FactsOfClock({ clock, title, facts }: { clock: Clock; title: string; facts: readonly Fact[] }) {
  const shown = facts.filter((fact) => fact.clock === clock)
  if (shown.length === 0) return null
  return (
    <div data-clock={clock}>
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      <FactList items={shown.map((fact) => ({ label: fact.label, value: <FactValue fact={fact} /> }))} />
    </div>
  )
}

function FactValue({ fact: { kind, value } }: { fact: Fact }) {
  const appId = useAppId()
  if (kind === 'time') return <Time at={value} precise />
  if (kind === 'id') return <CopyText text={value} />
  if (kind === 'campaign')
    return (
      <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: value }} className="font-mono text-xs">
        {value}
      </TextLink>
    )
  return value
}
