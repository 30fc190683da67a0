import type { Schedule } from '@herald/contracts/campaign'
import { useMemo, useState } from 'react'
import { nextInstants, type ClockChange } from '../../core/next-instants.ts'

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

const words: Record<ClockChange, string> = {
  skipped: 'Clocks go forward: this time does not exist that day, so it is sent later by the difference.',
  twice: 'Clocks go back: this time occurs twice, and it is sent the first time.',
  shifted: 'Daylight saving changes here; the local time stays the same.',
}

/** Shows the next instants of a schedule in the chosen time zone, in this browser's and in UTC. */
export function NextInstants({ schedule, zone }: { schedule: Schedule; zone: string }) {
  const [now] = useState(() => new Date())
  const instants = useMemo(() => nextInstants(schedule, now, zone), [schedule, now, zone])
  const clocks = useMemo(() => new Map([zone, here, 'UTC'].map((name) => [name, clockIn(name)])), [zone])
  if (instants.length === 0 && schedule.type === 'user_timezone')
    return (
      <p className="text-warning">
        In {zone} this time has passed: users there and in zones where it passed before are skipped; only zones further west still get it.
      </p>
    )
  if (instants.length === 0) return <p className="text-warning">Nothing will be sent: the last day has passed.</p>
  const zones = [...clocks.keys()]
  const isPast = (schedule.type === 'at' || schedule.type === 'user_timezone') && instants.every(({ at }) => at <= now)
  return (
    <div className="flex flex-col gap-2">
      {schedule.type === 'user_timezone' && (
        <p className="text-muted">
          Users in {zone} get it at these times, others at {schedule.localTime} in their own time zone
          {schedule.date === undefined ? '' : ' on that date'}. The review shows the devices of each batch.
        </p>
      )}
      {isPast && (
        <p className="text-warning">
          {schedule.type === 'at'
            ? 'This time has passed: the message will be sent immediately.'
            : `This time has passed in ${zone}: users there get it immediately.`}
        </p>
      )}
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <caption className="sr-only">Next send times</caption>
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
