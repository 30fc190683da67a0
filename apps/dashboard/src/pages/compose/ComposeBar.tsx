import { skipToken, useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { CampaignDraft } from '../../core/campaign-draft.ts'
import { whenOf } from '../../core/send-label.ts'
import { some } from '../../core/spans.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { targetOf } from './AudienceAsk.tsx'
import type { Screen } from './useScreen.ts'

const TestSend = lazy(async () => ({ default: (await import('../../ui/content/TestSend.tsx')).TestSend }))

/** The bar at the bottom of the composer: to how many devices the message goes, when and in how many languages, and what to do next. */
export function ComposeBar({
  appId,
  draft,
  screen,
  busy,
  onReview,
}: {
  appId: string
  draft: CampaignDraft
  screen: Screen
  busy: boolean
  onReview: () => void
}) {
  const [isTesting, setTesting] = useState(false)
  // `Estimate` on the same page counts the devices; this only reads the result from the cache.
  const { data } = useQuery<{ count: number } | 'unfinished'>({
    queryKey: ['estimate', appId, targetOf(draft.audience)],
    queryFn: skipToken,
  })
  const devices = data === undefined || data === 'unfinished' ? undefined : some(data.count, 'device', 'devices')
  const when = whenOf(draft.schedule, new Date())
  const languages = draft.silent ? 'silent' : some(screen.content.entries.length, 'language', 'languages')
  return (
    <div
      role="region"
      aria-label="What is sent"
      className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line bg-surface px-4 py-2.5"
    >
      <p className="min-w-0 tabular-nums">
        {[devices, when.charAt(0).toLowerCase() + when.slice(1), languages].filter(Boolean).join(' · ')}
      </p>
      <div className="flex gap-2">
        <Button icon={<FlaskConical size={14} aria-hidden />} onClick={() => setTesting(true)}>
          Test
        </Button>
        <Button variant="primary" onClick={onReview} busy={busy}>
          Review
        </Button>
      </div>
      <Dialog open={isTesting} onClose={() => setTesting(false)} title="Send a test" wide>
        <Suspense>
          <TestSend appId={appId} content={screen.content} options={draft} screen={screen} />
        </Suspense>
      </Dialog>
    </div>
  )
}
