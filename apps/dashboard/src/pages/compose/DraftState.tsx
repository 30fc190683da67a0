import { useState } from 'react'
import { nameOf } from '../../core/campaign-draft.ts'
import type { DraftSaver, SaveState } from '../../core/draft-saver.ts'
import type { KeptDraft } from '../../core/kept-drafts.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { clockTime } from '../../core/time.ts'
import { keeper } from './useDraft.ts'

/**
 * Shows what the operator must know or decide about the draft: it was changed elsewhere, it is no draft any more, or this browser has a text that
 * was never saved.
 */
export function DraftBanners({
  appId,
  saver,
  state,
  kept,
}: {
  appId: string
  saver: DraftSaver
  state: SaveState
  kept: readonly KeptDraft[]
}) {
  const { id } = saver.get()
  return (
    <>
      {state.is === 'conflict' && (
        <Banner
          kind="warning"
          action={
            <>
              <Button onClick={() => saver.takeTheirs()}>Take theirs</Button>
              <Button onClick={() => void saver.keepMine()}>Keep mine</Button>
            </>
          }
        >
          Another tab or another person has changed this draft since you opened it. Yours is kept in this browser and is not saved. Keeping
          yours replaces theirs.
        </Banner>
      )}
      {state.is === 'over' && (
        <Banner
          kind="warning"
          action={
            id !== null &&
            state.status !== 'deleted' && (
              <ButtonLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: id }}>
                Open the campaign
              </ButtonLink>
            )
          }
        >
          {state.status === 'deleted'
            ? 'This draft was deleted elsewhere.'
            : 'This message was sent elsewhere, so it cannot be changed any more.'}{' '}
          What you wrote is kept in this browser.
        </Banner>
      )}
      {state.is !== 'conflict' && state.is !== 'over' && <KeptBanner saver={saver} kept={kept} />}
    </>
  )
}

/** Offers the newest text that this browser has kept because Herald did not save it. */
function KeptBanner({ saver, kept }: { saver: DraftSaver; kept: readonly KeptDraft[] }) {
  const [[newest], setLeft] = useState(kept)
  if (!newest) return null
  const done = () => {
    keeper.drop(newest.key)
    setLeft((left) => left.filter(({ key }) => key !== newest.key))
  }
  return (
    <Banner
      kind="info"
      action={
        <>
          <Button
            onClick={() => {
              saver.change(newest.draft)
              done()
            }}
          >
            Go on with it
          </Button>
          <Button variant="quiet" onClick={done}>
            Discard
          </Button>
        </>
      }
    >
      This browser has “{nameOf(newest.draft)}”, which was written <Time at={newest.at} /> and never saved.
    </Banner>
  )
}

/** Says where the written text is: saved in Herald, being saved, or in this browser only. */
export function SaveLine({ state, onSave }: { state: SaveState; onSave: () => void }) {
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-muted">
      {words(state)}
      {(state.is === 'unreached' || (state.is === 'kept' && state.message !== undefined)) && (
        <Button small variant="quiet" onClick={onSave}>
          Try again
        </Button>
      )}
    </p>
  )
}

function words(state: SaveState): string {
  switch (state.is) {
    case 'untouched':
      return ''
    case 'waiting':
    case 'saving':
      return 'Saving'
    case 'saved':
      return `Saved ${clockTime(state.at)}`
    case 'kept':
      return state.message === undefined ? `Kept in this browser ${clockTime(state.at)}: not complete yet` : `Not saved: ${state.message}`
    case 'unreached':
      return `Kept in this browser ${clockTime(state.at)}: ${state.message}`
    case 'conflict':
      return 'Not saved: somebody else has changed it'
    case 'over':
      return 'No draft any more'
  }
}
