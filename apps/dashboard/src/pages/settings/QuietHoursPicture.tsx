import { describeQuiet, quietSpans } from '../../core/quiet-hours-picture.ts'

const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24]
const dayMinutes = 1440

/** Minutes since midnight now in a zone; undefined for a zone that the browser does not know. */
function minutesNow(zone: string): number | undefined {
  try {
    const [hour, minute] = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
      .format(new Date())
      .split(':')
    return Number(hour) * 60 + Number(minute)
  } catch {
    return undefined
  }
}

/** A day of 24 hours with the quiet part drawn, also over midnight, and where now is in the app's zone. */
export function QuietHoursPicture({ start, end, zone }: { start: string; end: string; zone: string }) {
  const spans = quietSpans(start, end)
  const now = minutesNow(zone)
  const text = describeQuiet(start, end)
  return (
    <figure className="flex flex-col gap-1">
      <svg viewBox="-24 0 1488 96" className="h-auto w-full" role="img" aria-label={text}>
        <rect x={0} y={20} width={dayMinutes} height={32} rx={6} className="fill-sunken stroke-line" strokeWidth={2} />
        {spans.map((span) => (
          <rect key={span.start} x={span.start} y={20} width={span.end - span.start} height={32} rx={6} className="fill-accent" />
        ))}
        {hours.map((hour) => (
          <g key={hour}>
            <line x1={hour * 60} x2={hour * 60} y1={52} y2={60} className="stroke-muted" strokeWidth={2} />
            <text x={hour * 60} y={84} textAnchor="middle" fontSize={22} className="fill-muted">
              {hour}
            </text>
          </g>
        ))}
        {now !== undefined && (
          <g>
            <line x1={now} x2={now} y1={12} y2={58} className="stroke-ink" strokeWidth={4} />
            <circle cx={now} cy={10} r={7} className="fill-ink" />
          </g>
        )}
      </svg>
      <figcaption className="text-muted text-sm">
        {text} {now !== undefined && `The mark is now in ${zone}.`}
      </figcaption>
    </figure>
  )
}
