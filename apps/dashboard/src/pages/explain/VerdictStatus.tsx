import type { Verdict } from '@herald/contracts/explain'
import { Status, type StatusKind } from '../../ui/Status.tsx'

const looks: Readonly<Record<Verdict, { kind: StatusKind; word: string }>> = {
  sent: { kind: 'good', word: 'Sent' },
  failed: { kind: 'bad', word: 'Failed' },
  skipped: { kind: 'warning', word: 'Skipped' },
  in_flight: { kind: 'busy', word: 'On its way' },
  retrying: { kind: 'warning', word: 'Is tried again' },
  held: { kind: 'warning', word: 'Held' },
  waiting: { kind: 'off', word: 'Waiting' },
  not_queued: { kind: 'off', word: 'Not queued' },
}

/** Shows what became of a push, or that there is none. */
export function VerdictStatus({ verdict }: { verdict: Verdict }) {
  const { kind, word } = looks[verdict]
  return <Status kind={kind}>{word}</Status>
}
