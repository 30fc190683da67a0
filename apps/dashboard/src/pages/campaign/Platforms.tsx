import { providerOf } from '@herald/contracts/app'
import { platformNames, platforms, type Platform } from '@herald/contracts/platform'
import { api } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { circuitSentence } from '../../core/attention.ts'
import { providerNames } from '../../core/platform-names.ts'
import { isOver, rateOf, rateText, type PlatformSample } from '../../core/progress.ts'
import { countText, percentText } from '../../core/number.ts'
import { some } from '../../core/spans.ts'
import { useSystem } from '../../session/useSystem.ts'
import { Banner } from '../../ui/Banner.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Section } from '../../ui/Section.tsx'
import { OutcomeBar, type Outcomes } from '../../ui/OutcomeBar.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Breakdown, Campaign, Reading } from './useSend.ts'

type Props = { appId: string; campaign: Campaign; reading: Reading; samples: readonly PlatformSample[]; breakdown: Breakdown | undefined }
type Circuit = components['schemas']['Circuit']
/**
 * Shows each platform to which the send has pushes. While the send is under way: how many pushes have an outcome, how many wait, the speed and the
 * open circuits. After its end: how the pushes ended.
 */
export function Platforms({ appId, campaign, reading, samples, breakdown }: Props) {
  const rows = platforms.flatMap((platform) => {
    const row = rowOf(platform, reading, breakdown)
    return row && row.queued > 0 ? [row] : []
  })
  if (rows.length === 0) return null
  const over = isOver(reading.status)
  return (
    <Section title="By platform">
      <ul className="grid list-none gap-4 p-0">
        {rows.map(({ platform, queued, settled }) => (
          <li key={platform} className="grid gap-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <strong>{platformNames[platform]}</strong>
              <span className="text-muted tabular-nums">
                {over && breakdown
                  ? outcomesOf(breakdown, platform)
                  : `${countText(settled)} of ${countText(queued)} processed (${percentText(settled, queued, 0)})`}
                {!over && queued > settled && (
                  <LiveNumbers waiting={queued - settled} rate={reading.status === 'sending' ? rateOf(samples, platform) : null} />
                )}
              </span>
            </p>
            <OutcomeBar label={platformNames[platform]} of={barOf(breakdown, platform, { queued, settled })} />
            {!over && !campaign.test && queued > settled && <OpenCircuits appId={appId} platform={platform} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/**
 * Gives the parts of a platform's bar. The stream says only how many pushes have an outcome, so the breakdown, which is up to 5 s older, says which:
 * its shares are applied to the stream's number.
 */
function barOf(breakdown: Breakdown | undefined, platform: Platform, { queued, settled }: { queued: number; settled: number }): Outcomes {
  const known = breakdown?.byPlatform[platform]
  const [sent, failed, skipped] = [known?.sent ?? 0, known?.failed ?? 0, known?.skipped ?? 0]
  const ended = sent + failed + skipped
  // Nothing is known of the outcomes yet, or not any more: what has one is drawn as skipped is, in grey.
  if (ended === 0) return { sent: 0, failed: 0, skipped: settled, waiting: queued - settled }
  const share = settled / ended
  return { sent: sent * share, failed: failed * share, skipped: skipped * share, waiting: queued - settled }
}

/** Gives the counters of a platform: from the stream when the reading came from it, else from the breakdown. */
function rowOf(platform: Platform, { byPlatform }: Reading, breakdown: Breakdown | undefined) {
  if (byPlatform) return { platform, ...byPlatform[platform] }
  const known = breakdown?.byPlatform[platform]
  return known && { platform, queued: known.queued, settled: known.queued - known.open }
}

/**
 * Says how the pushes of a platform ended. After the ledger's retention Herald does not know any more how the pushes of a small send ended on each
 * platform; then the function gives only how many pushes there were.
 */
function outcomesOf({ byPlatform }: Breakdown, platform: Platform): string {
  const { queued, open, sent, failed, skipped } = byPlatform[platform]
  if (sent === null || failed === null || skipped === null) return some(queued, 'push', 'pushes')
  const parts = [`${countText(sent)} sent`, `${countText(failed)} failed`, `${countText(skipped)} skipped`]
  return (open > 0 ? [...parts, `${countText(open)} waiting`] : parts).join(', ')
}

const LiveNumbers = ({ waiting, rate }: { waiting: number; rate: number | null }) => (
  <>
    , {some(waiting, 'waits', 'wait')}
    {rate !== null && `, ${rateText(rate)}`}
  </>
)

/** Shows the open circuits that hold the app's pushes to a platform: why each is open, how many pushes wait, and since when. */
function OpenCircuits({ appId, platform }: { appId: string; platform: Platform }) {
  const { data: system } = useSystem()
  const isOpen = system?.openCircuits?.items.some((circuit) => circuit.appId === appId && circuit.platform === platform) ?? false
  const { data } = api.useQuery(
    'get',
    `/v1/admin/apps/{appId}/providers/${providerOf[platform]}`,
    { params: { path: { appId } } },
    { enabled: isOpen, refetchInterval: 5_000, retry: false },
  )
  if (!isOpen) return null
  // The answers about the three providers have different types, but their circuits have the same form.
  const circuits = ((data as { circuits?: Circuit[] } | undefined)?.circuits ?? []).filter(({ state }) => state === 'open')
  return circuits.map(({ environment, code, since, heldCount, probeAt }) => (
    <Banner
      key={environment}
      kind="bad"
      action={
        <ButtonLink small variant="secondary" to="/apps/$appId/providers" params={{ appId }}>
          Open {providerNames[platform]}
        </ButtonLink>
      }
    >
      {circuitSentence(platform, code)} {some(heldCount, 'push', 'pushes')} on hold; no one was unsubscribed. Since <Time at={since} />
      {/* While a send is paused no probe is sent, so the time of the next probe may be past. A past time is not shown. */}
      {probeAt !== null && Date.parse(probeAt) > Date.now() && (
        <>
          ; next retry <Time at={probeAt} precise />
        </>
      )}
      .
    </Banner>
  ))
}
