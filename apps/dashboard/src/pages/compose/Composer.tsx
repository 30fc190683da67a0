import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { bodyOfDraft, nameOf } from '../../core/campaign-draft.ts'
import { checkDraft, visibleDetails } from '../../core/check-draft.ts'
import type { DraftStart, SaveState } from '../../core/draft-saver.ts'
import type { KeptDraft } from '../../core/kept-drafts.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { DeleteDraft } from '../campaign/DeleteDraft.tsx'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { Answers } from './Answers.tsx'
import { Asks } from './Asks.tsx'
import { ComposeBar } from './ComposeBar.tsx'
import { DraftBanners, SaveLine } from './DraftState.tsx'
import { Mistakes } from './Mistakes.tsx'
import { useDraft } from './useDraft.ts'
import { useScreen } from './useScreen.ts'

// A message is written before it is reviewed, so the review's code is loaded later.
const Review = lazy(async () => ({ default: (await import('./Review.tsx')).Review }))

/**
 * The composer: four steps on the left, and on the right the number of devices, the previews and the sizes. With `step=review` in the address, the
 * left half reviews a stored draft without mistakes.
 */
export function Composer({
  appId,
  draftKey,
  start,
  onMade,
}: {
  appId: string
  draftKey: string
  start: DraftStart & { kept: KeptDraft[] }
  onMade: (id: string) => void
}) {
  const { saver, working } = useDraft(appId, draftKey, start, onMade)
  const { draft, id, unfinishedId, state } = working
  const { step } = useSearch({ from: '/apps/$appId/compose' })
  const navigate = useNavigate()
  const [asked, setAsked] = useState(false)
  const [told, setTold] = useState<readonly { path: string; message: string }[]>([])
  const screen = useScreen(appId, draft)

  const mistakes = checkDraft(draft)
  const refused = isRefused(state) ? state.details : []
  const shown = [...visibleDetails(mistakes, bodyOfDraft(draft), asked), ...refused]
  const goTo = (to: 'review' | undefined) => void navigate({ to: '.', search: (search) => ({ ...search, step: to, edit: undefined }) })

  const review = async () => {
    setAsked(true)
    setTold(mistakes)
    if (mistakes.length > 0) return
    if (await saver.saveNow()) return goTo('review')
    const { state: now } = saver.get()
    if (isRefused(now))
      setTold(now.details.length > 0 ? now.details : [{ path: '', message: now.message ?? 'The draft could not be saved.' }])
  }
  const discard = async () => {
    await saver.discard()
    announce('The draft is deleted')
    await navigate({ to: '/apps/$appId/campaigns', params: { appId } })
  }
  const isReview = step === 'review' && id !== null && mistakes.length === 0
  useShortcut('mod+enter', () => (isReview ? aimAtSend() : void review()), 'Review the message, then send it')

  return (
    <Page
      title={isReview ? `Review: ${nameOf(draft)}` : 'Compose'}
      guide="campaigns"
      part={isReview ? 'review' : 'message'}
      actions={
        <>
          <SaveLine state={state} onSave={() => void saver.saveNow()} />
          {id !== null && state.is !== 'over' && (
            <DeleteDraft appId={appId} campaignId={id} name={nameOf(draft)} onDeleted={() => void saver.discard()} />
          )}
          {id === null && unfinishedId !== null && state.is !== 'over' && (
            <Button needed="send" variant="quiet" onClick={() => void discard()}>
              Delete draft
            </Button>
          )}
          {isReview && <Button onClick={() => goTo(undefined)}>Back to the message</Button>}
        </>
      }
    >
      <DraftBanners appId={appId} saver={saver} state={state} kept={start.kept} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,25rem)]">
        {isReview ? (
          <Suspense>
            <Review appId={appId} campaignId={id} draft={draft} saver={saver} state={state} screen={screen} />
          </Suspense>
        ) : (
          <div className="flex min-w-0 flex-col gap-5">
            <Mistakes details={told} onLocale={screen.setLocale} />
            <Asks appId={appId} draft={draft} onChange={(changed) => saver.change(changed)} details={shown} told={told} screen={screen} />
          </div>
        )}
        <Answers appId={appId} draft={draft} screen={screen} isReview={isReview} />
      </div>
      {!isReview && (
        <ComposeBar appId={appId} draft={draft} screen={screen} busy={state.is === 'saving' && asked} onReview={() => void review()} />
      )}
    </Page>
  )
}

/** Whether Herald refused what was written, as a campaign or at all. */
const isRefused = (state: SaveState): state is Extract<SaveState, { is: 'noted' | 'kept' }> =>
  state.is === 'kept' || (state.is === 'noted' && state.message !== undefined)

/** Presses the button that sends. The first call only gives the button the focus, so that the operator sees the number on it. */
function aimAtSend(): void {
  const button = document.getElementById('send')
  if (button !== null && button === document.activeElement) button.click()
  else button?.focus()
}
