import { useQuery } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { queryClient } from '../api/queryClient.ts'
import { ErrorNote } from '../ui/ErrorNote.tsx'
import { ExpiredDialog } from './ExpiredDialog.tsx'
import { endWait } from './renewal.ts'
import { forget, sessionQuery } from './session.ts'
import { SignIn } from './SignIn.tsx'
import { hearTabs } from './tabs.ts'

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
