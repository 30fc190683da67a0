import { useNavigate } from '@tanstack/react-router'
import { Choice } from '../../ui/Choice.tsx'
import type { Way } from '../search.ts'
import { ThisBrowser } from './ThisBrowser.tsx'
import { VirtualPhone } from './VirtualPhone.tsx'
import { YourApp } from './YourApp.tsx'

/** Lets the operator choose what the first device is: this browser, a virtual phone, or a device of the operator's own site or mobile app. */
export function DeviceStep({
  appId,
  baseUrl,
  publicKey,
  way,
  isSimulated,
  hasDevice,
}: {
  appId: string
  baseUrl: string
  publicKey: string | undefined
  way: Way
  isSimulated: boolean
  hasDevice: boolean
}) {
  const navigate = useNavigate()
  const choose = (to: Way): void => void navigate({ to: '.', search: { way: to }, replace: true, resetScroll: false })
  const take = (deviceId: string): void => void navigate({ to: '.', search: { way, deviceId }, replace: true, resetScroll: false })
  return (
    <>
      <Choice<Way>
        legend={<span className="sr-only">Which device</span>}
        value={way}
        onChange={choose}
        options={[
          { value: 'browser', label: 'This browser', hint: 'A real notification on this desktop' },
          ...(isSimulated ? [{ value: 'phone' as const, label: 'A virtual phone', hint: 'Simulated: nothing real is sent' }] : []),
          { value: 'app', label: 'Your site or app', hint: 'Snippets with your address and key' },
        ]}
      />
      {way === 'browser' && (
        <ThisBrowser appId={appId} publicKey={publicKey} onDevice={take} onPhone={isSimulated ? () => choose('phone') : undefined} />
      )}
      {way === 'phone' && <VirtualPhone appId={appId} onDevice={take} />}
      {way === 'app' && <YourApp appId={appId} baseUrl={baseUrl} publicKey={publicKey} hasDevice={hasDevice} />}
    </>
  )
}
