import { Status } from '../../ui/Status.tsx'

const looks = {
  pending: { kind: 'busy', word: 'Pending' },
  delivered: { kind: 'good', word: 'Delivered' },
  failed: { kind: 'bad', word: 'Failed' },
  erased: { kind: 'off', word: 'Erased' },
} as const

/** Shows the state of a delivery. */
export function DeliveryStatus({ state }: { state: keyof typeof looks }) {
  return <Status kind={looks[state].kind}>{looks[state].word}</Status>
}
