import { agoOf, dayTime, utcTime } from '../core/time.ts'
import { useToday } from '../live/useToday.ts'
import { copy } from './copy.ts'
import { Tooltip } from './Tooltip.tsx'

/** Shows a time in the browser's zone. On hover and focus it is also shown in UTC, with how long ago it was; a click copies it. */
export function Time({ at, precise }: { at: string | number | Date | null | undefined; precise?: boolean | undefined }) {
  const today = useToday()
  if (at === null || at === undefined) return <span className="text-muted">–</span>
  const iso = new Date(at).toISOString()
  return (
    <Tooltip text={() => `${utcTime(at)}, ${agoOf(at, Date.now())}`}>
      <button
        type="button"
        onClick={() => void copy(iso, 'Time copied')}
        className="-mx-1 rounded px-1 text-left hover:bg-hover sm:whitespace-nowrap"
      >
        <time dateTime={iso}>{dayTime(at, today, precise)}</time>
      </button>
    </Tooltip>
  )
}
