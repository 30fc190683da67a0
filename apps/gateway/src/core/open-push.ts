import type { OpenPush } from '@herald/contracts/calls/audience'
import type { LedgerRow } from '@herald/contracts/calls/tracker'

/** A push that has no outcome yet, in the shape of the ledger's pushes. */
export type ShownOpenPush = Omit<LedgerRow, 'outcome' | 'settledAt'> & { outcome: 'open'; settledAt: null } & Pick<
    OpenPush,
    'state' | 'nextTryAt'
  >
export type ShownPush = LedgerRow | ShownOpenPush

export const shownOpen = ({ tries, state, nextTryAt, ...push }: OpenPush): ShownOpenPush => ({
  ...push,
  variant: null,
  outcome: 'open',
  attempts: tries,
  settledAt: null,
  engagements: [],
  state,
  nextTryAt,
})
