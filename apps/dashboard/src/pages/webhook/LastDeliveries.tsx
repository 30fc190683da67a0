import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { ticksOf, type DeliveryTick } from '../../core/deliveries.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Section } from '../../ui/Section.tsx'

const shown = 100
const fills = { good: 'fill-good', bad: 'fill-bad', busy: 'fill-accent', off: 'fill-strong' }
const height = 40

/**
 * Draws the last hundred deliveries, one bar each: the colour is its state, the height is how long the answer to its last attempt took. The list
 * below the bars says the same in words.
 */
export function LastDeliveries({ webhookId }: { webhookId: string }) {
  const appId = useAppId()
  const search = useSearch({ from: '/apps/$appId/webhooks/$webhookId' })
  const navigate = useNavigate({ from: '/apps/$appId/webhooks/$webhookId' })
  const deliveries = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/webhooks/{id}/deliveries',
    { params: { path: { appId, id: webhookId }, query: { limit: shown } } },
    { refetchInterval: 5_000 },
  )
  const ticks = ticksOf(deliveries.data?.items ?? [])
  if (ticks.length === 0) return null
  const count = (kind: DeliveryTick['kind']): number => ticks.filter((tick) => tick.kind === kind).length
  const words = `The last ${ticks.length} deliveries: ${count('good')} delivered, ${count('bad')} failed, ${count('busy')} pending.`
  const slowest = Math.max(...ticks.map(({ latencyMs }) => latencyMs ?? 0))
  const open = (id: string): void => void navigate({ search: { ...search, deliveryId: id } })
  return (
    <Section title="Last deliveries">
      <svg role="img" aria-label={words} viewBox={`0 0 ${shown * 8} ${height}`} preserveAspectRatio="none" className="h-10 w-full">
        {ticks.map((tick, place) => {
          const tall = heightOf(tick)
          return (
            <g key={tick.id} onClick={() => open(tick.id)} className="cursor-pointer hover:opacity-70">
              <title>{tick.label}</title>
              <rect x={(shown - ticks.length + place) * 8} y={0} width={8} height={height} fill="transparent" />
              <rect x={(shown - ticks.length + place) * 8 + 1} y={height - tall} width={6} height={tall} className={fills[tick.kind]} />
            </g>
          )
        })}
      </svg>
      <p className="mt-2 text-sm text-muted">
        {words} The slowest answer took {Math.round(slowest).toLocaleString('en')} ms. Newest on the right; a click opens one.
      </p>
    </Section>
  )
}

/** Gives the height for an answer time from 1 ms to 10 s. The scale is logarithmic, so that fast answers differ too. */
function heightOf({ latencyMs }: DeliveryTick): number {
  if (latencyMs === null) return 6
  return 8 + (Math.log10(Math.min(Math.max(latencyMs, 1), 10_000)) / 4) * (height - 8)
}
