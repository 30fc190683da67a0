import { pushKey } from '../../core/inbox.ts'
import { NotificationCard } from '../inbox/NotificationCard.tsx'
import { useInbox } from '../inbox/useInbox.ts'
import { useReports } from '../inbox/useReports.ts'

/** The newest push on a virtual phone. A tap on it is counted as on a real one. */
export function ArrivedHere({ appId, subscriptionId }: { appId: string; subscriptionId: string }) {
  const { pushes } = useInbox(appId)
  const { reports, report } = useReports()
  const newest = pushes.find((push) => push.subscriptionId === subscriptionId)
  if (newest === undefined) return null
  return (
    <section aria-label="On the virtual phone" className="max-w-sm">
      <p className="mb-1 text-sm text-muted">On the virtual phone. Tap it: it is counted as on a real one.</p>
      <NotificationCard
        appId={appId}
        push={newest}
        report={reports.get(pushKey(newest))}
        onGesture={(gesture) => void report(newest, gesture)}
      />
    </section>
  )
}
