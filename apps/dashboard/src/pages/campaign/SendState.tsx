import { platforms } from '@herald/contracts/platform'
import { circuitSentence } from '../../core/attention.ts'
import { statusWords } from '../../core/campaign-result.ts'
import { recallAsks } from '../../core/recall-words.ts'
import { isFollowed, stateSentence } from '../../core/progress.ts'
import { some } from '../../core/spans.ts'
import { useNow } from '../../live/useNow.ts'
import { useSystem } from '../../session/useSystem.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Card } from '../../ui/Card.tsx'
import { LiveSummary } from '../../ui/LiveSummary.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Campaign, Reading, useSend } from './useSend.ts'
import { CampaignStatus } from './CampaignStatus.tsx'
import { RateControl } from './RateControl.tsx'

type Props = { appId: string; campaign: Campaign; reading: Reading; stream: ReturnType<typeof useSend>['stream']; onDone: () => void }

/**
 * Shows the state of the send in one sentence and its times. While the page follows a send whose stream is broken or refused, it also shows the time
 * of the reading.
 */
export function SendState({ appId, campaign, reading, stream, onDone }: Props) {
  const follows = isFollowed(reading.status)
  const now = useNow(follows)
  const { startedAt, settledAt, nextAt, failure, schedule, recurringOf, remainderOf, recallOf, recalls = [] } = campaign
  const sentence = stateSentence(
    {
      ...reading,
      fannedOut: reading.pace?.fannedOut,
      expected: reading.pace?.expected ?? null,
      heldBecause: useHeldBecause(appId, campaign, reading),
      ratePerSecond: reading.pace?.ratePerSecond ?? 0,
      // With a rate the time left stands beside the rate.
      etaSeconds: campaign.sendRate === null ? (reading.pace?.etaSeconds ?? null) : null,
      startedAt,
      settledAt,
      failure,
      isRecurring: schedule?.type === 'recurring' && recurringOf === null,
    },
    now,
  )
  return (
    <Card>
      <div className="grid gap-2">
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-lg">
          <CampaignStatus status={reading.status} cancelling={reading.cancelling} stats={reading.stats} />
          <span data-sentence>{sentence}</span>
        </p>
        <LiveSummary text={sentence} />
        <RateControl appId={appId} campaign={campaign} reading={reading} onDone={onDone} />
        <p className="text-muted flex flex-wrap gap-x-4 gap-y-1">
          {startedAt !== null && (
            <span>
              Started <Time at={startedAt} />
            </span>
          )}
          {settledAt !== null && (
            <span>
              Completed <Time at={settledAt} />
            </span>
          )}
          {nextAt !== null && (
            <span>
              {schedule?.type === 'recurring' ? 'Next run' : 'Starts'} <Time at={nextAt} />
            </span>
          )}
          {campaign.missedCount > 0 && <span>{some(campaign.missedCount, 'run was', 'runs were')} missed</span>}
          {recurringOf !== null && (
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: recurringOf }}>
              Part of a recurring campaign
            </TextLink>
          )}
          {remainderOf !== null && (
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: remainderOf }}>
              Winning variant of an A/B test
            </TextLink>
          )}
          {recallOf !== null && (
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: recallOf }}>
              Recalls another campaign
            </TextLink>
          )}
          {recalls.map(({ campaignId, mode, status }) => (
            <TextLink key={campaignId} to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId }}>
              {recallAsks[mode]}: {statusWords[status].toLowerCase()}
            </TextLink>
          ))}
          {campaign.test && <span>Test send: ignores the frequency cap and quiet hours, and is not counted in statistics over time</span>}
        </p>
        {follows && stream.state !== 'live' && stream.state !== 'closed' && (
          <Banner kind="info">
            {stream.state === 'polling' ? 'Live updates are limited; refreshing every 2 seconds. ' : 'Reconnecting. '}
            Shown as of <Time at={new Date(reading.readAt).toISOString()} precise />.
          </Banner>
        )}
      </div>
    </Card>
  )
}

/** Says why a provider takes none of the send's pushes that wait; null when one that has pushes waiting takes them. A test asks in spite of it. */
function useHeldBecause(appId: string, { test }: Campaign, { byPlatform }: Reading): string | null {
  const { data: system } = useSystem()
  if (test || byPlatform === null) return null
  const waiting = platforms.filter((platform) => byPlatform[platform].queued > byPlatform[platform].settled)
  const reasons = waiting.map((platform) =>
    system?.openCircuits?.items.find((circuit) => circuit.appId === appId && circuit.platform === platform),
  )
  const held = reasons.flatMap((circuit) => (circuit ? [circuitSentence(circuit.platform, circuit.code)] : []))
  return held.length > 0 && held.length === waiting.length ? held.join(' ') : null
}
