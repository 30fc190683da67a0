import type { Checked } from '../../api/check-provider.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import { kinds, type Kind } from './kinds.ts'

/** Says whether the provider could not be asked, so that the check says nothing about the credentials. */
export const isAway = ({ code }: Checked): boolean =>
  code === 'provider_unavailable' || code === 'network_error' || code === 'timeout' || code === 'rate_limited'

/** Shows whether the provider accepts the credentials, and what to do if not. */
export function CheckResult({ kind, checked, at }: { kind: Kind; checked: Checked; at?: number | undefined }) {
  const { name } = kinds[kind]
  const when = at !== undefined && (
    <span className="text-sm text-muted">
      {' '}
      <Time at={at} precise />
    </span>
  )
  if (checked.ok)
    return (
      <p>
        <Status kind="good">Checked</Status>{' '}
        {kind === 'webpush' ? 'Key pair and subject are in order.' : `${name} takes these credentials.`}
        {when}
      </p>
    )
  const word = [checked.code, checked.providerCode].filter(Boolean).join(' · ')
  return (
    <Banner kind={isAway(checked) ? 'warning' : 'bad'}>
      <p className="font-medium">
        {isAway(checked) ? `${name} could not be asked` : `${name} does not take these credentials`}:{' '}
        <code className="font-mono text-xs">{word}</code>
        {when}
      </p>
      {checked.remedy !== null && <p className="mt-1">{checked.remedy}</p>}
    </Banner>
  )
}
