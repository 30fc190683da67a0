import { useState } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { BrowserPermission } from './BrowserPermission.tsx'
import { useWebPushKey } from './useWebPushKey.ts'

/**
 * Makes this browser the first device: the app gets a key pair of Web Push, then the browser asks for permission. `onPhone` makes a virtual phone the
 * first device instead; undefined without a simulator.
 */
export function ThisBrowser({
  appId,
  publicKey,
  onDevice,
  onPhone,
}: {
  appId: string
  publicKey: string | undefined
  onDevice: (subscriptionId: string) => void
  onPhone: (() => void) | undefined
}) {
  const { publicKey: vapidPublicKey, readError, making, make } = useWebPushKey(appId)
  const [address, setAddress] = useState('')
  const [problem, setProblem] = useState<string>()

  if (!('serviceWorker' in navigator) || !('PushManager' in window))
    return (
      <Banner kind="warning" action={onPhone && <Button onClick={onPhone}>Use a virtual phone</Button>}>
        This browser has no Web Push, or this address is not encrypted. Use another browser
        {onPhone === undefined ? '' : ' or a virtual phone'}.
      </Banner>
    )
  if (publicKey === undefined)
    return <p className="text-muted">Create the keys in step 1 first: this page registers with the public key, as every page does.</p>
  if (readError !== null) return <ErrorNote error={readError} />
  if (vapidPublicKey === undefined) return null
  if (vapidPublicKey === null)
    return (
      <form
        className="flex max-w-xl flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!/^(mailto:)?[^\s@]+@[^\s@]+\.[^\s@]+$|^https:\/\/\S+$/i.test(address.trim()))
            return setProblem('Type an e-mail address, or an https address of yours.')
          setProblem(undefined)
          make(address)
        }}
      >
        {making.error !== null && <ErrorNote error={making.error} />}
        <Field
          label="Your e-mail address"
          hint="Push services (Mozilla, Google, Apple) write to it if something is wrong with your pushes. A pair of keys is created with it."
          error={problem}
        >
          {(control) => (
            <TextInput
              {...control}
              type="text"
              inputMode="email"
              autoComplete="email"
              value={address}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
        <div>
          <Button type="submit" variant="primary" busy={making.isPending}>
            Create the keys of Web Push
          </Button>
        </div>
      </form>
    )
  return <BrowserPermission appId={appId} publicKey={publicKey} vapidPublicKey={vapidPublicKey} onDevice={onDevice} onPhone={onPhone} />
}
