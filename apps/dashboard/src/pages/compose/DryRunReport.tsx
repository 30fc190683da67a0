import { platformNames, platforms } from '@herald/contracts/platform'
import type { Schedule } from '@herald/contracts/campaign'
import { spanOf } from '@herald/contracts/span-of'
import { Link } from '@tanstack/react-router'
import type { components } from '../../api/schema.gen.ts'
import { nameOfLocale } from '../../core/locale-tabs.ts'
import { countText } from '../../core/number.ts'
import { reachOf } from '../../core/reach.ts'
import { some } from '../../core/spans.ts'
import { warningLines } from '../../core/warning-lines.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { useAppId } from '../../session/useAppId.ts'
import { Json } from '../../ui/Code.tsx'

export type Report = components['schemas']['DryRunNotificationOfAppAnswer']

/**
 * Shows the result of a dry run: what a send of this message would do now. Herald computes it with the code that sends, writes nothing and asks no
 * provider.
 */
export function DryRunReport({ report, schedule }: { report: Report; schedule: Schedule }) {
  const { audience, unreachable, skips, waves, experiment, estimate } = report
  const appId = useAppId()
  const warnings = warningLines(report.warnings)
  const { get, skipped } = reachOf(report)
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-1">
        <p>
          <strong className="text-2xl">{countText(audience.devices)}</strong> {audience.devices === 1 ? 'device' : 'devices'} of{' '}
          {countText(audience.users)} {audience.users === 1 ? 'person' : 'people'}
          {!audience.exact && <span className="text-muted"> (estimate{intervalText(audience.interval)})</span>}
        </p>
        <p className="text-muted">
          {platforms.map((platform) => `${platformNames[platform]} ${countText(audience.byPlatform[platform])}`).join(' · ')}
        </p>
        {skipped > 0 && (
          <p>
            {countText(skipped)} of them will be skipped, so {some(get, 'device gets', 'devices get')} it
            {experiment ? ' in the test group' : ''}.
          </p>
        )}
        {estimate.seconds !== null && <p className="text-muted">Sending takes about {spanOf(estimate.seconds)}.</p>}
      </div>
      {warnings.length > 0 && (
        <Banner kind="warning">
          <p className="font-medium">{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</p>
          <ul className="mt-1 flex list-disc flex-col gap-1 pl-4">
            {warnings.map(({ key, text, locale, path }) => (
              <li key={key}>
                {text}{' '}
                {path === null ? (
                  <TextLink to="/apps/$appId/providers" params={{ appId }}>
                    Set it up
                  </TextLink>
                ) : (
                  <Link
                    from="/apps/$appId/compose/$campaignId"
                    to="."
                    search={(search) => ({ ...search, step: undefined, edit: path, ...(locale !== null && { locale }) })}
                    className="underline"
                  >
                    Edit
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <Table caption="Not reachable" head={['Why', 'Devices']} rows={unreachableRows(unreachable, skips)} />
      <Table caption="Skipped" head={['Why', 'Devices']} rows={skippedRows(skips)} empty="No reachable device is skipped." />
      {experiment && (
        <Table
          caption="A/B test"
          head={['Group', 'Devices']}
          rows={[
            ...Object.entries(experiment.byVariant).map(([id, devices]) => [`Variant ${id}`, countText(devices)]),
            ['Remaining audience', countText(experiment.remainder)],
          ]}
        />
      )}
      {waves.length > (schedule.type === 'now' ? 1 : 0) && (
        <Table
          caption={waves.length === 1 ? 'When' : `When: ${waves.length} time-zone batches`}
          head={['At', 'Devices']}
          rows={waves.slice(0, mostWaves).map(({ at, devices }) => [<Time key={at} at={at} />, countText(devices)])}
          more={waves.length > mostWaves ? `And ${waves.length - mostWaves} later batches.` : undefined}
        />
      )}
      <Table
        caption="Languages"
        head={['Language', 'Devices', 'Get the default language']}
        rows={report.locales.map(({ locale, devices, fallback }) => [
          nameOfLocale(locale),
          countText(devices),
          fallback === 0 ? '–' : countText(fallback),
        ])}
        empty="No texts are shown."
      />
      <Table
        caption="Largest payload size"
        head={['Platform', 'Language', 'Bytes', 'Fits']}
        rows={inOrder(report.bytes).map(({ platform, locale, variant, max, limit, truncated }) => [
          platformNames[platform],
          [locale === null ? 'silent' : nameOfLocale(locale), variant].filter((part) => part !== null).join(', variant '),
          `${countText(max)} of ${countText(limit)}`,
          truncated ? (
            <Status key="s" kind="warning">
              truncated
            </Status>
          ) : max > limit ? (
            <Status key="s" kind="bad">
              too large
            </Status>
          ) : (
            <Status key="s" kind="good">
              fits
            </Status>
          ),
        ])}
      />
      <DryRunSamples samples={report.samples} />
    </div>
  )
}

/** Shows some devices of the audience with the text and the payload that each would get. */
function DryRunSamples({ samples }: { samples: Report['samples'] }) {
  const appId = useAppId()
  if (samples.length === 0) return null
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">Examples</p>
      {samples.map(({ subscriptionId, userId, platform, locale, variant, entry, payload, skip, warnings }) => (
        <div key={subscriptionId} className="flex flex-col gap-1 rounded-md border border-line p-3">
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            {[platformNames[platform], locale === null ? null : nameOfLocale(locale), variant === null ? null : `variant ${variant}`]
              .filter((part) => part !== null)
              .join(' · ')}
            <TextLink to="/apps/$appId/people/$userId" params={{ appId, userId }}>
              View user
            </TextLink>
            {skip !== null && <Status kind="warning">{whyLeftOut(skip)}</Status>}
            {warnings.map((warning) => (
              <Status key={warning} kind="warning">
                {warning.replaceAll('_', ' ')}
              </Status>
            ))}
          </p>
          {entry && (
            <p dir="auto" className="break-words">
              <strong>{entry.title}</strong> {entry.body}
            </p>
          )}
          {payload && (
            <details>
              <summary className="min-h-6 text-sm text-muted">The payload</summary>
              <Json value={payload} />
            </details>
          )}
        </div>
      ))}
    </div>
  )
}

const mostWaves = 12

const placeOf = ({ variant, locale, platform }: Report['bytes'][number]): string => [variant ?? '', locale ?? '', platform].join('|')
const inOrder = (bytes: Report['bytes']): Report['bytes'] => bytes.toSorted((one, other) => placeOf(one).localeCompare(placeOf(other)))

const intervalText = (interval: number[] | undefined): string =>
  interval === undefined ? '' : `; 95 % confidence interval ${countText(interval[0] ?? 0)} to ${countText(interval[1] ?? 0)}`

const hasInbox = (skips: Report['skips']): boolean => skips.some(({ reason, devices }) => reason === 'opted_out' && devices > 0)

const unreachableRows = ({ optedOut, invalidated }: Report['unreachable'], skips: Report['skips']): React.ReactNode[][] => [
  ...(optedOut > 0 ? [[hasInbox(skips) ? 'Opted out: only in their inbox' : 'Opted out', countText(optedOut)]] : []),
  ...(invalidated > 0 ? [['Invalid token', countText(invalidated)]] : []),
]

const skippedRows = (skips: Report['skips']): React.ReactNode[][] =>
  skips
    .filter(({ reason, devices }) => devices > 0 && reason !== 'opted_out')
    .map(({ reason, devices, exact }) => [whyLeftOut(reason), `${exact ? '' : 'about '}${countText(devices)}`])

function Table({
  caption,
  head,
  rows,
  empty,
  more,
}: {
  caption: string
  head: string[]
  rows: React.ReactNode[][]
  empty?: string
  more?: string | undefined
}) {
  if (rows.length === 0) return empty === undefined ? null : <p className="text-muted">{empty}</p>
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <caption className="pb-1 text-left font-medium">{caption}</caption>
        <thead className="text-xs text-muted">
          <tr>
            {head.map((label) => (
              <th key={label} scope="col" className="py-1 pr-4 font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, place) => (
            <tr key={place} className="border-t border-line">
              {cells.map((cell, column) => (
                <td key={head[column]} className="py-1 pr-4 tabular-nums">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more !== undefined && <p className="text-sm text-muted">{more}</p>}
    </div>
  )
}

const reasons: Record<string, string> = {
  silent_web: 'Silent, not shown in browsers',
  quiet_hours: 'Quiet hours',
  holdout: 'Control group',
  frequency_cap: 'Frequency cap reached',
  empty_content: 'Empty after personalization',
  opted_out: 'Opted out',
  invalidated: 'Invalid token',
  expired: 'Its date has passed in their time zone',
  cancelled: 'Cancelled',
  not_in_target: 'Not in the audience',
  not_in_experiment: 'Not in the test group of the A/B test',
}

/** Says why a device is left out. A reason that this page does not know is shown by its name, with spaces for underscores. */
const whyLeftOut = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ')
