import { platformNames, perPlatform } from '@herald/contracts/platform'
import { api } from '../../api/client.ts'
import { buttonClicks } from '../../core/button-clicks.ts'
import { funnelOf, reportsOf, whatIsCounted } from '../../core/funnel.ts'
import { countText, percentText } from '../../core/number.ts'
import { some } from '../../core/spans.ts'
import { useMay } from '../../session/May.tsx'
import { Section } from '../../ui/Section.tsx'
import { Bar } from '../../ui/Bar.tsx'
import { Funnel } from '../../ui/Funnel.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Curve } from './Curve.tsx'
import type { Breakdown, Campaign, Reading } from './useSend.ts'

type Props = { appId: string; campaign: Campaign; reading: Reading; breakdown: Breakdown | undefined }
const dayMs = 86_400_000
/**
 * The page asks for days of the series that are at most this old. Herald keeps them for 400 days; two days are left as a margin, because the times
 * are rounded to whole days.
 */
const oldestMs = 398 * dayMs

/** Shows what devices reported: the shares of delivered, opened and clicked, clicks by button, and when the reports came. */
export function Reports({ appId, campaign, reading, breakdown }: Props) {
  const may = useMay()
  const reports = useReports(appId, campaign)
  const sentBy = breakdown ? perPlatform((platform) => breakdown.byPlatform[platform].sent) : null
  const funnel = funnelOf(reading.stats, sentBy, reports)
  return (
    <Section title="Opens and clicks">
      <div className="grid grid-cols-1 gap-4">
        <Funnel funnel={funnel} name="From sent to clicked" />
        {!campaign.silent && <p className="text-sm text-muted">{whatIsCounted}</p>}
        {reading.stats.opened + reading.stats.clicked > 0 && may('people') && (
          <p className="flex flex-wrap gap-x-4">
            {(['clicked', 'opened'] as const)
              .filter((reported) => reading.stats[reported] > 0)
              .map((reported) => (
                <TextLink key={reported} to="/apps/$appId/log" params={{ appId }} search={{ campaignId: campaign.id, reported }}>
                  Who {reported}?
                </TextLink>
              ))}
          </p>
        )}
        {reading.stats.dismissed > 0 && (
          <p className="text-muted">{some(reading.stats.dismissed, 'device', 'devices')} dismissed it unopened.</p>
        )}
        {funnel.silent.length > 0 && (
          <p className="text-muted">
            The rates in this section leave out{' '}
            {funnel.silent.map(({ platform, sent }) => `${some(sent, 'push', 'pushes')} to ${platformNames[platform]}`).join(' and ')}: no
            such device has reported anything in the 30 days before and after. The rates at the top of the page are of all sent pushes. Set
            up an SDK that reports.
          </p>
        )}
        <Buttons campaign={campaign} reading={reading} breakdown={breakdown} />
        <Curve appId={appId} campaign={campaign} reading={reading} />
        {campaign.silent && <p className="text-muted">A silent push shows nothing, so nobody can open or click it.</p>}
      </div>
    </Section>
  )
}

/**
 * Counts by platform what the app's devices reported from 30 days before the send to 30 days after it. A platform with any report then is able to
 * report, so its pushes count in this send's shares.
 */
function useReports(appId: string, { startedAt, createdAt }: Campaign) {
  const begun = Date.parse(startedAt ?? createdAt)
  // The times are whole days, because each change of them would make a new query, and so they stay the same while the page is open.
  const from = new Date(Math.floor(Math.max(begun - 30 * dayMs, Date.now() - oldestMs) / dayMs) * dayMs).toISOString()
  const to = new Date(Math.ceil(Math.max(begun + 30 * dayMs, Date.now() - oldestMs + dayMs) / dayMs) * dayMs).toISOString()
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/series',
    { params: { path: { appId }, query: { bucket: 'day', by: 'platform', from, to } } },
    { refetchInterval: 30_000 },
  )
  return data ? reportsOf(data.points) : null
}

/** Shows the clicks by button, when one was clicked. */
function Buttons({ campaign: { content, experiment }, reading, breakdown }: Omit<Props, 'appId'>) {
  const { clicked } = reading.stats
  const contents = [content, ...(experiment?.variants ?? []).map((variant) => variant.content)]
  const rows = buttonClicks(breakdown?.actions ?? [], { clicked, contents })
  if (rows === undefined) return null
  return (
    <section className="grid grid-cols-1 gap-2" data-buttons>
      <h3 className="font-medium">Clicks by button</h3>
      <ul className="grid list-none gap-2 p-0">
        {rows.map(({ key, label, clicked: clicks }) => (
          <li key={key} className="grid gap-1">
            <span className="flex flex-wrap justify-between gap-x-4 tabular-nums">
              <span className="min-w-0 break-words">{label}</span>
              <span>
                {countText(clicks)} <span className="text-muted">{percentText(clicks, clicked, 0)}</span>
              </span>
            </span>
            <Bar value={clicks} of={clicked} label={`${label}: ${percentText(clicks, clicked, 0)} of the clicks`} />
          </li>
        ))}
      </ul>
    </section>
  )
}
