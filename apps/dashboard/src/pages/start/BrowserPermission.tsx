import type { Herald, State } from '@herald/web'
import { useEffect, useRef, useState } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Status } from '../../ui/Status.tsx'
import { openTryOut } from './try-out.ts'

/**
 * Asks the operator for permission to notify and registers this browser. The worker is ready before the click, because browsers show the question
 * only during a click.
 */
export function BrowserPermission({
  appId,
  publicKey,
  vapidPublicKey,
  onDevice,
  onPhone,
}: {
  appId: string
  publicKey: string
  vapidPublicKey: string
  onDevice: (subscriptionId: string) => void
  onPhone: (() => void) | undefined
}) {
  const herald = useRef<Herald>(undefined)
  const [state, setState] = useState<State>()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    let isHere = true
    try {
      herald.current = openTryOut(appId, publicKey, vapidPublicKey)
      void herald.current.ready.then((ready) => isHere && setState(ready))
    } catch (error) {
      setProblem(messageOf(error))
    }
    return () => {
      isHere = false
    }
  }, [appId, publicKey, vapidPublicKey])

  const subscribe = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    const late = setTimeout(() => setProblem(silence), silentMs)
    try {
      const now = await herald.current?.subscribe()
      setState(now)
      setProblem(undefined)
      if (now?.subscriptionId !== undefined) onDevice(now.subscriptionId)
      else setProblem(now?.lastError?.message ?? 'Herald has not confirmed this browser yet. It is tried again by itself.')
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      clearTimeout(late)
      setBusy(false)
    }
  }

  return (
    <div className="flex max-w-2xl flex-col gap-3">
      {problem !== undefined && (
        <Banner kind="warning" action={onPhone && <Button onClick={onPhone}>Use a virtual phone</Button>}>
          <p>{problem}</p>
          {onPhone && <p className="mt-1 text-muted">If this browser cannot get pushes here, a virtual phone shows the same steps.</p>}
        </Banner>
      )}
      {state?.subscribed === true && state.subscriptionId !== undefined ? (
        <p>
          <Status kind="good">This browser is registered</Status>
        </p>
      ) : (
        <div>
          <Button variant="primary" busy={busy} disabled={state === undefined && problem === undefined} onClick={() => void subscribe()}>
            Allow notifications in this browser
          </Button>
        </div>
      )}
    </div>
  )
}

/**
 * When the browser has not answered for this long, the page says so. The time is not shorter, because the operator needs a while to answer the
 * browser's question.
 */
const silentMs = 10_000
const silence =
  'No registration after 10 seconds. Accept the browser’s prompt; if there was none, this browser cannot reach a push service.'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'The browser refused.')
