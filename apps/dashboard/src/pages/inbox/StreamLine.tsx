import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import type { useStream } from '../../live/useStream.ts'

/** Says whether new pushes arrive by themselves, and otherwise how old the page is. */
export function StreamLine({ stream }: { stream: ReturnType<typeof useStream> }) {
  const { state, asOf } = stream
  if (state === 'live') return <Status kind="good">live</Status>
  return (
    <span className="flex items-center gap-2 text-sm text-muted" role="status">
      <Status kind="busy">{state === 'polling' ? 'asked every 2 seconds' : 'connecting'}</Status>
      {asOf !== undefined && (
        <span>
          as of <Time at={asOf} precise />
        </span>
      )}
    </span>
  )
}
