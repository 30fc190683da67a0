import type { CampaignStatus as Name } from '@herald/contracts/stats'
import { Status } from '../../ui/Status.tsx'

/** The icon and the colour of each status. */
const statusKinds = {
  draft: 'off',
  scheduled: 'off',
  sending: 'busy',
  active: 'good',
  paused: 'warning',
  sent: 'good',
  cancelled: 'off',
  failed: 'bad',
} as const satisfies Record<Name, string>

export const statusWords: Readonly<Record<Name, string>> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  sending: 'Sending',
  active: 'Active',
  paused: 'Paused',
  sent: 'Sent',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

/** Shows the status of a campaign, or "Cancelling" while a cancel is under way. */
export function CampaignStatus({ status, cancelling = false }: { status: Name; cancelling?: boolean | undefined }) {
  return <Status kind={cancelling ? 'busy' : statusKinds[status]}>{cancelling ? 'Cancelling' : statusWords[status]}</Status>
}
