import { platformNames } from '@herald/contracts/platform'
import { providerOf } from '@herald/contracts/app'
import { remedyOf } from '@herald/contracts/remedies'
import { failureCodes } from '@herald/contracts/outcome'
import type { Checked } from '../../api/check-provider.ts'
import type { components } from '../../api/schema.gen.ts'
import { Status } from '../Status.tsx'
import type { TestResult } from './useTestSend.ts'

export type TestDevice = components['schemas']['ListTestDevicesAnswer']['items'][number]

/** Shows a test device with a checkbox that chooses it, and the outcome of the test on it. */
export function TestDeviceRow({
  device,
  isChosen,
  onChoose,
  result,
  isWaiting,
  refusal,
}: {
  device: TestDevice
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
  result: TestResult | undefined
  isWaiting: boolean
  /** Why the provider takes no push now, while the test waits for it. */
  refusal: Checked | undefined
}) {
  const name = device.externalId ?? device.userId
  const model = device.deviceModel ?? device.browser ?? ''
  const code = failureCodes.find((known) => known === result?.code)
  const remedy =
    code === undefined || result === undefined
      ? (refusal?.remedy ?? null)
      : remedyOf(providerOf[device.platform], code, result.providerCode)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <label className="flex min-h-6 min-w-0 flex-1 items-center gap-2">
        <input
          type="checkbox"
          checked={isChosen}
          onChange={({ target }) => onChoose(target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 truncate">{name}</span>
        <span className="shrink-0 text-sm text-muted">
          {[platformNames[device.platform], model].filter((part) => part !== '').join(' · ')}
        </span>
      </label>
      <span role="status" className="flex flex-wrap items-center gap-2">
        {result ? <Outcome result={result} /> : refusal ? <Held refusal={refusal} /> : isWaiting && <Status kind="busy">sending</Status>}
      </span>
      {remedy !== null && <p className="w-full pl-6 text-sm text-muted">{remedy}</p>}
    </li>
  )
}

const Held = ({ refusal: { code, providerCode } }: { refusal: Checked }) => (
  <>
    <Status kind="warning">on hold</Status>
    <code className="font-mono text-xs">{[code, providerCode].filter(Boolean).join(', ')}</code>
  </>
)

function Outcome({ result: { outcome, code, providerCode } }: { result: TestResult }) {
  const kind = outcome === 'sent' ? 'good' : outcome === 'failed' ? 'bad' : 'warning'
  const said = [code, providerCode].filter((part) => part !== null && part !== '').join(', ')
  return (
    <>
      <Status kind={kind}>{outcome === 'not_queued' ? 'not sent' : outcome}</Status>
      {said !== '' && <code className="font-mono text-xs">{said}</code>}
    </>
  )
}
