import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore, type ReactNode } from 'react'
import { queryClient } from '../api/queryClient.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorNote } from '../ui/ErrorNote.tsx'
import { endWait, isWaiting, watchRenewal } from './renewal.ts'
import { forget, hearTabs, sessionQuery, useSession } from './session.ts'
import { SignIn } from './SignIn.tsx'
import { SignInForm } from './SignInForm.tsx'

/** Shows the dashboard to an operator who is signed in, and the sign-in page to anybody else. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { data: session, error, refetch } = useQuery(sessionQuery)

  useEffect(
    () =>
      hearTabs((news) => {
        if (news === 'signed-out') {
          endWait(false)
          forget()
        } else void queryClient.refetchQueries({ queryKey: sessionQuery.queryKey }).then(() => endWait(true))
      }),
    [],
  )

  if (session === undefined) {
    if (error === null) return null
    return (
      <main className="mx-auto max-w-xl p-6">
        <h1 className="mb-3 text-xl font-semibold">Herald does not answer</h1>
        <ErrorNote error={error} retry={() => void refetch()} />
      </main>
    )
  }
  if (session === null) return <SignIn />
  return (
    <>
      {children}
      <ExpiredDialog />
    </>
  )
}

/**
 * Asks for the administration token, over the page, when the session ends while an operator works. After the sign-in the refused requests are sent
 * again.
 */
function ExpiredDialog() {
  const isOpen = useSyncExternalStore(watchRenewal, isWaiting)
  const { name } = useSession()
  return (
    <Dialog open={isOpen} onClose={() => endWait(false)} title="Your session has ended">
      <p className="mb-4 text-muted">Sign in again, and what you were about to do goes on. Nothing that you typed is lost.</p>
      <SignInForm knownName={name} onDone={() => endWait(true)} />
    </Dialog>
  )
}
