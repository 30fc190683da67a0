import { resultOf } from '../../core/campaign-result.ts'
import { Status } from '../../ui/Status.tsx'

/** Shows the status of a campaign, and of one that has ended how its pushes ended. */
export function CampaignStatus(campaign: Parameters<typeof resultOf>[0]) {
  const { kind, word } = resultOf(campaign)
  return <Status kind={kind}>{word}</Status>
}
