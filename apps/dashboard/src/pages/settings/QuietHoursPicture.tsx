import { describeQuiet, quietSpans } from '../../core/quiet-hours-picture.ts'

const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24]
const dayMinutes = 1440

/** Gives the minutes since midnight in a zone; undefined for a zone that the browser does not know. */
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

/** Draws a day of 24 hours with the quiet hours, and the present time in the app's zone. */
export function QuietHoursPicture({ start, end, zone }: { start: string; end: string; zone: string }) {
  const spans = quietSpans(start, end)
  const now = minutesNow(zone)
  const text = describeQuiet(start, end)
  return (
    <figure className="flex flex-col gap-1">
      <svg viewBox="0 0 1440 32" preserveAspectRatio="none" className="h-8 w-full rounded-md" role="img" aria-label={text}>
        <rect width={dayMinutes} height={32} className="fill-sunken" />
        {spans.map((span) => (
          <rect key={span.start} x={span.start} width={span.end - span.start} height={32} className="fill-accent" />
        ))}
        {hours.slice(1, -1).map((hour) => (
          <line key={hour} x1={hour * 60} x2={hour * 60} y1={24} y2={32} className="stroke-strong" vectorEffect="non-scaling-stroke" />
        ))}
        {now !== undefined && (
          <>
            <line x1={now} x2={now} y1={0} y2={32} strokeWidth={6} className="stroke-surface" vectorEffect="non-scaling-stroke" />
            <line x1={now} x2={now} y1={0} y2={32} strokeWidth={2} className="stroke-ink" vectorEffect="non-scaling-stroke" />
          </>
        )}
      </svg>
      <div className="flex justify-between text-xs text-muted" aria-hidden>
        {hours.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      <figcaption className="text-muted text-sm">
        {text} {now !== undefined && `The line marks the current time (${zone}).`}
      </figcaption>
    </figure>
  )
}
