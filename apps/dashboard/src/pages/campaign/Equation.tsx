import { useState } from 'react'
import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { equationOf } from '../../core/progress.ts'
import { countText, percentText } from '../../core/number.ts'
import { Button } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Section } from '../../ui/Section.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import type { LogSearch } from '../search.ts'
import type { Reading } from './useSend.ts'

const sign = 'relative pl-8 before:absolute before:top-6 before:left-1 before:text-xl before:text-muted'
// CSS draws the signs + and =, because text between the terms of a `dl` is no valid HTML.
const signed = { '=': `${sign} before:content-['=']`, '+': `${sign} before:content-['+']` } as const

type Term = { label: string; value: number; sign: '' | keyof typeof signed; search: LogSearch; tone: string }

/**
 * Shows queued = sent + failed + skipped + waiting, all from one reading, so that the numbers add up at every moment. Each number links to its pushes
 * in the log.
 */
export function Equation({ appId, campaignId, reading }: { appId: string; campaignId: string; reading: Reading }) {
  const { queued, sent, failed, skipped, waiting } = equationOf(reading.stats)
  const terms: Term[] = [
    { label: 'Recipients', value: queued, sign: '', search: {}, tone: 'text-ink!' },
    { label: 'Sent', value: sent, sign: '=', search: { outcome: 'sent' }, tone: 'text-ink!' },
    { label: 'Failed', value: failed, sign: '+', search: { outcome: 'failed' }, tone: 'text-ink!' },
    { label: 'Skipped', value: skipped, sign: '+', search: { outcome: 'skipped' }, tone: 'text-ink!' },
    { label: 'Waiting', value: waiting, sign: '+', search: { outcome: 'open' }, tone: 'text-ink!' },
  ]
  return (
    <Section
      title="Delivery"
      actions={
        <div className="flex flex-wrap items-center justify-end gap-3">
          <ButtonLink needed="people" small variant="secondary" to="/apps/$appId/explain" params={{ appId }} search={{ campaignId }}>
            Why didn’t someone get it?
          </ButtonLink>
          <Verify appId={appId} campaignId={campaignId} />
        </div>
      }
    >
      <dl data-equation className="flex flex-wrap items-end gap-x-5 gap-y-3">
        {terms.map(({ label, value, sign, search, tone }) => (
          <div key={label} className={sign === '' ? '' : signed[sign]}>
            <dt className="text-muted">{label}</dt>
            <dd className="m-0 text-2xl tabular-nums">
              <TextLink to="/apps/$appId/log" params={{ appId }} search={{ campaignId, ...search }} className={tone}>
                {countText(value)}
              </TextLink>
              <span className="block text-sm text-muted">{label === 'Recipients' ? 'pushes' : percentText(value, queued, 1)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** A button that recounts the pushes in the ledger and shows by how much the counters differ. */
function Verify({ appId, campaignId }: { appId: string; campaignId: string }) {
  const [asked, setAsked] = useState(0)
  const { data, error, isFetching, refetch } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/verify',
    { params: { path: { appId, id: campaignId } } },
    { enabled: asked > 0, staleTime: Infinity },
  )
  return (
    <div className="flex flex-wrap items-center justify-end gap-3" role="status">
      {data && !isFetching && (
        <span className="flex flex-wrap items-center gap-2">
          <Status kind={data.agrees ? 'good' : 'bad'}>
            {data.agrees ? 'Counts match' : `Counts differ by ${countText(data.difference)}`}
          </Status>
          {data.agrees ? `${countText(data.ledger.queued)} pushes recounted` : 'Tell your administrator.'}
        </span>
      )}
      {error && <ErrorNote error={faultOf(error)} />}
      <Button variant="secondary" small busy={isFetching} onClick={() => (asked === 0 ? setAsked(1) : void refetch())}>
        Verify counts
      </Button>
    </div>
  )
}
