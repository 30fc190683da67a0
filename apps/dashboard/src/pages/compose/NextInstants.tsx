import type { Schedule } from '@herald/contracts/campaign'
import { useMemo, useState } from 'react'
import { nextInstants, type ClockChange } from '../../core/next-instants.ts'

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

const words: Record<ClockChange, string> = {
  skipped: 'The clocks jump over this time, so it is sent later by the jump.',
  twice: 'The clocks show this time twice; it is sent the first time.',
  shifted: 'The clocks have changed since the time before: in UTC it is another time of day.',
}

/** Shows the next instants of a schedule in the chosen time zone, in this browser's and in UTC. */
export function NextInstants({ schedule, zone }: { schedule: Schedule; zone: string }) {
  const [now] = useState(() => new Date())
  const instants = useMemo(() => nextInstants(schedule, now, zone), [schedule, now, zone])
  const clocks = useMemo(() => new Map([zone, here, 'UTC'].map((name) => [name, clockIn(name)])), [zone])
  if (instants.length === 0 && schedule.type === 'user_timezone')
    return (
      <p className="text-warning">In {zone} this time has passed: users there are skipped, others get it when their own clocks show it.</p>
    )
  if (instants.length === 0) return <p className="text-warning">Nothing is sent any more: the last day has passed.</p>
  const zones = [...clocks.keys()]
  const isPast = (schedule.type === 'at' || schedule.type === 'user_timezone') && instants.every(({ at }) => at <= now)
  return (
    <div className="flex flex-col gap-2">
      {schedule.type === 'user_timezone' && (
        <p className="text-muted">
          People in {zone} get it at this instant, others when their own clocks show {schedule.localTime}
          {schedule.date === undefined ? '' : ' on that date'}. The review counts each wave.
        </p>
      )}
      {isPast && (
        <p className="text-warning">
          This time has passed{schedule.type === 'at' ? '' : ` in ${zone}`}: the message is sent as soon as you send it.
        </p>
      )}
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <caption className="sr-only">The next instants</caption>
          <thead className="text-xs text-muted">
            <tr>
              {zones.map((name) => (
                <th key={name} scope="col" className="py-1 pr-4 font-medium whitespace-nowrap">
                  {name === here ? `${name} (yours)` : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {instants.map(({ at, change }) => (
              <tr key={at.getTime()} className="align-top">
                {zones.map((name, place) => (
                  <td key={name} className="py-0.5 pr-4">
                    <span className="whitespace-nowrap">{clocks.get(name)?.format(at)}</span>
                    {place === 0 && change !== null && <span className="block text-sm text-warning">{words[change]}</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

const clockIn = (timeZone: string) =>
  new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
