import { useSyncExternalStore } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { endWait, isWaiting, watchRenewal } from './renewal.ts'
import { SignInForm } from './SignInForm.tsx'
import { useSession } from './useSession.ts'

/** Asks for the administration token, over the page, when the session ends while an operator works. The refused requests are then sent again. */
export function ExpiredDialog() {
  const isOpen = useSyncExternalStore(watchRenewal, isWaiting)
  const { name } = useSession()
  return (
    <Dialog open={isOpen} onClose={() => endWait(false)} title="Your session has ended">
      <p className="mb-4 text-muted">Sign in again, and what you were about to do goes on. Nothing that you typed is lost.</p>
      <SignInForm knownName={name} onDone={() => endWait(true)} />
    </Dialog>
  )
}
