import { skipToken, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { AudienceDraft, ExperimentDraft } from '../../core/campaign-draft.ts'
import { countText, percentText } from '../../core/number.ts'
import { assumedRate, prospectOf } from '../../core/power.ts'
import { targetOf } from './AudienceAsk.tsx'

/** Says what an experiment of this size can show, given how often the app's messages were opened in the last 30 days. */
export function Prospect({ appId, audience, experiment }: { appId: string; audience: AudienceDraft; experiment: ExperimentDraft }) {
  // `Estimate` on the same page counts the devices; this hook only reads the result from the cache.
  const { data: counted } = useQuery<{ count: number }>({ queryKey: ['estimate', appId, targetOf(audience)], queryFn: skipToken })
  const { data: overview } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/overview',
    { params: { path: { appId } } },
    { staleTime: 60_000, retry: false },
  )
  if (counted === undefined) return null
  const sent = overview?.days.reduce((sum, day) => sum + day.sent, 0) ?? 0
  const opened = overview?.days.reduce((sum, day) => sum + day.opened, 0) ?? 0
  const known = sent >= 100 && opened > 0 && opened < sent
  const rate = known ? opened / sent : assumedRate
  const prospect = prospectOf(
    rate,
    counted.count,
    experiment.sampleRate,
    experiment.variants.map(({ weight }) => weight),
  )
  const basis = known
    ? `This app’s current open rate: ${percentText(opened, sent)}.`
    : 'This app’s open rate is not known yet; 5 % is assumed.'
  return (
    <p className={prospect.shows === 'nothing' ? 'text-warning' : 'text-muted'}>
      {prospect.shows === 'nothing'
        ? `Audience too small for a significant result: the smallest variant gets ${countText(prospect.smallest)} devices. `
        : `Detects a difference in open rate of ${prospect.points.toFixed(1)} points or more (80 % power, 95 % confidence). The smallest variant gets ${countText(prospect.smallest)} devices. `}
      {basis}
    </p>
  )
}
