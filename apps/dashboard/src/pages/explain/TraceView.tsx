import { platformNames } from '@herald/contracts/platform'
import { Copy } from 'lucide-react'
import type { Certainty, Verdict } from '@herald/contracts/explain'
import type { components } from '../../api/schema.gen.ts'
import { firstOpen, stationsOf, ticketOf } from '../../core/explain-stations.ts'
import { withLocalTimes } from '../../core/time.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { copy } from '../../ui/copy.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { Time } from '../../ui/Time.tsx'
import { Status, type StatusKind } from '../../ui/Status.tsx'
import { StationView } from './StationView.tsx'

type Trace = components['schemas']['ExplainSendAnswer']['devices'][number]

const certainties: Readonly<Record<Certainty, { word: string; means: string }>> = {
  recorded: { word: 'From the log', means: 'From the delivery log.' },
  derived: { word: 'From the settings', means: 'From the campaign’s settings at send time.' },
  likely: { word: 'Probable', means: 'Based on current data, which may have changed since.' },
}

/** Shows the trace of one device: the sentence that explains it, a button that copies a sentence for a ticket, and the nine stations. */
export function TraceView({
  trace,
  of,
  lookedAt,
}: {
  trace: Trace
  of: { campaignId: string; campaign: string | null; externalId: string | null }
  lookedAt: number
}) {
  const stations = stationsOf(trace)
  const open = firstOpen(stations)
  const certainty = certainties[trace.certainty]
  const { waitingFor } = trace
  const until = waitingFor !== null && 'at' in waitingFor ? waitingFor.at : null
  const ticket = (): string => ticketOf(trace, { ...of, lookedAt: new Date(lookedAt).toISOString() })
  return (
    <>
      <Card>
        <div className="flex flex-wrap items-center gap-2">
          <VerdictStatus verdict={trace.verdict} />
          <Tooltip text={certainty.means}>
            <button type="button" className="rounded border border-line bg-sunken px-1.5 text-xs">
              {certainty.word}
            </button>
          </Tooltip>
          <span className="text-sm text-muted">
            {trace.platform === null ? 'Deleted device' : `${platformNames[trace.platform]} device`}{' '}
            <CopyText text={trace.subscriptionId} label="device id" />
          </span>
        </div>
        <p className="mt-2 text-lg" data-sentence>
          {withLocalTimes(trace.sentence)}
        </p>
        {until !== null && (
          <p className="mt-1 text-muted">
            Continues at <Time at={until} precise />
          </p>
        )}
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copy(ticket(), 'Sentence copied')}>
            Copy for a ticket
          </Button>
          <span className="text-sm text-muted">
            As of <Time at={lookedAt} precise />
          </span>
        </div>
      </Card>
      <h2 className="sr-only">Steps</h2>
      <ol aria-label="Steps" className="flex flex-col rounded-lg border border-line bg-surface">
        {stations.map((station, place) => (
          <StationView key={station.name} station={station} number={place + 1} isOpen={station.name === open} platform={trace.platform} />
        ))}
      </ol>
    </>
  )
}

const looks: Readonly<Record<Verdict, { kind: StatusKind; word: string }>> = {
  sent: { kind: 'good', word: 'Sent' },
  failed: { kind: 'bad', word: 'Failed' },
  skipped: { kind: 'warning', word: 'Skipped' },
  in_flight: { kind: 'busy', word: 'Sending' },
  retrying: { kind: 'warning', word: 'Retrying' },
  held: { kind: 'warning', word: 'On hold' },
  waiting: { kind: 'off', word: 'Waiting' },
  not_queued: { kind: 'off', word: 'Not a recipient' },
}

/** Shows what became of a push, or that there is none. */
export function VerdictStatus({ verdict }: { verdict: Verdict }) {
  const { kind, word } = looks[verdict]
  return <Status kind={kind}>{word}</Status>
}
