import type { Funnel as FunnelValues } from '../core/funnel.ts'
import { countText, percentText } from '../core/number.ts'

/**
 * Draws the funnel from sent to clicked as bars on one scale. Each bar has its number. The bars after "Sent" also have their share of the pushes to
 * platforms that report.
 */
export function Funnel({ funnel, name }: { funnel: FunnelValues; name: string }) {
  const largest = Math.max(1, ...funnel.steps.map(({ value }) => value))
  return (
    <dl aria-label={name} className="grid gap-2">
      {funnel.steps.map(({ key, label, value, of }) => (
        <div key={key} className="grid grid-cols-[6rem_1fr] items-center gap-x-3 sm:grid-cols-[6rem_1fr_11rem]">
          <dt>{label}</dt>
          <dd className="m-0 max-sm:order-last max-sm:col-span-2">
            <svg width="100%" height="16" aria-hidden="true" className="block">
              <rect width="100%" height="16" rx="3" className="fill-line" />
              <rect width={`${Math.min(100, (value / largest) * 100)}%`} height="16" rx="3" className="fill-accent" />
            </svg>
          </dd>
          <dd className="m-0 tabular-nums">
            <strong>{countText(value)}</strong>{' '}
            <span className="text-muted">
              {of === null ? '' : of === 0 ? 'not known' : `${percentText(value, of, 1)} of ${countText(of)}`}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
