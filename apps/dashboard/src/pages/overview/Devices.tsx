import { platformNames, platforms } from '@herald/contracts/platform'
import { countText, percentText } from '../../core/number.ts'
import { Bar } from '../../ui/Bar.tsx'
import { Section } from '../../ui/Section.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Overview } from './overview.ts'

/** Shows the devices by platform: how many are reachable, opted out, invalidated, and active in the last days. */
export function Devices({ overview: { devices, devicesAsOf } }: { overview: Overview }) {
  const reachable = platforms.reduce((sum, platform) => sum + devices[platform].reachable, 0)
  return (
    <Section
      title={`${countText(reachable)} reachable devices`}
      actions={
        <span className="text-muted">
          as of <Time at={devicesAsOf} precise />
        </span>
      }
    >
      <ul className="grid list-none gap-6 p-0 md:grid-cols-3">
        {platforms.map((platform) => {
          const { total, reachable, optedOut, invalidated, active7d, active30d } = devices[platform]
          return (
            <li key={platform} className="grid content-start gap-1">
              <p className="flex justify-between gap-2">
                <strong>{platformNames[platform]}</strong>
                <span className="tabular-nums">
                  {countText(reachable)} <span className="text-muted">of {countText(total)}</span>
                </span>
              </p>
              <Bar
                value={reachable}
                of={total}
                kind="good"
                label={`${platformNames[platform]}: ${percentText(reachable, total)} of the devices can be reached`}
              />
              <p className="text-muted tabular-nums">
                {countText(optedOut)} opted out, {countText(invalidated)} with invalid tokens
              </p>
              <p className="text-muted tabular-nums">
                {countText(active7d)} active in 7 days, {countText(active30d)} in 30
              </p>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
