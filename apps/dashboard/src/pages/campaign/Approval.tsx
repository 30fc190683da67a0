import { countText } from '../../core/number.ts'
import { Banner } from '../../ui/Banner.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Campaign } from './useSend.ts'

type Asked = NonNullable<Campaign['approval']>

/** Says who asked to send a draft, and leads somebody else to the review, where they confirm it. */
export function Approval({
  appId,
  campaignId,
  approval,
  isReview = false,
}: {
  appId: string
  campaignId: string
  approval: Asked
  isReview?: boolean
}) {
  const devices = `${countText(approval.devices)} ${approval.devices === 1 ? 'device' : 'devices'}`
  return (
    <Banner
      kind="info"
      action={
        !isReview &&
        !approval.byYou && (
          <ButtonLink
            needed="send"
            variant="primary"
            to="/apps/$appId/compose/$campaignId"
            params={{ appId, campaignId }}
            search={{ step: 'review' }}
          >
            Review and approve
          </ButtonLink>
        )
      }
    >
      {approval.byYou ? 'You' : approval.askedBy} requested approval <Time at={approval.at} /> to send this to {devices}.{' '}
      {approval.byYou
        ? 'Pending approval by somebody else. Editing withdraws the request.'
        : 'Once you approve it, it is sent at its time.'}
    </Banner>
  )
}
