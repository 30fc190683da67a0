import { api } from '../../api/client.ts'
import { percentText } from '../../core/number.ts'
import { some } from '../../core/spans.ts'
import { usualRate } from '../../core/usual-rate.ts'
import type { Campaign, Reading } from './useSend.ts'

/** How many of the app's last campaigns a campaign is compared with. */
const compared = 20

/** Shows the two figures that a campaign is judged by, opened and clicked of sent, each beside the median of the app's last campaigns. */
export function Headline({ appId, campaign, reading }: { appId: string; campaign: Campaign; reading: Reading }) {
  const { data } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns',
    { params: { path: { appId }, query: { transactional: 'false', status: 'sent', limit: compared } } },
    { staleTime: 60_000 },
  )
  const { sent } = reading.stats
  return (
    <dl className="grid gap-x-10 gap-y-3 sm:grid-cols-[repeat(2,max-content)]" data-headline>
      {(['opened', 'clicked'] as const).map((kind) => {
        const usual = data ? usualRate(data.items, kind, campaign.id) : null
        return (
          <div key={kind}>
            <dt className="text-muted">{kind === 'opened' ? 'Opened' : 'Clicked'}</dt>
            <dd className="m-0">
              <span className="block text-4xl font-semibold tracking-tight tabular-nums">{percentText(reading.stats[kind], sent, 1)}</span>
              <span className="block min-h-5 text-sm text-muted">
                {usual !== null && `usually ${percentText(usual.rate, 1, 1)}, the median of ${some(usual.of, 'campaign', 'campaigns')}`}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
