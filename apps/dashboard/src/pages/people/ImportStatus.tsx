import { Status } from '../../ui/Status.tsx'

const looks = {
  receiving: { kind: 'busy', word: 'Receiving' },
  finished: { kind: 'good', word: 'Finished' },
  cancelled: { kind: 'off', word: 'Cancelled' },
} as const

/** Shows the state of an import. */
export function ImportStatus({ state }: { state: keyof typeof looks }) {
  return <Status kind={looks[state].kind}>{looks[state].word}</Status>
}
