import { useState } from 'react'
import { api } from '../../api/client.ts'
import { nameOf } from '../../core/campaign-draft.ts'
import type { DraftSaver, SaveState } from '../../core/draft-saver.ts'
import type { KeptDraft } from '../../core/kept-drafts.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { clockTime } from '../../core/time.ts'
import { useSession } from '../../session/session.ts'
import { DeleteUnfinished } from '../campaign/DeleteUnfinished.tsx'
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
              <Button onClick={() => saver.takeTheirs()}>Use their version</Button>
              <Button onClick={() => void saver.keepMine()}>Overwrite with mine</Button>
            </>
          }
        >
          Another tab or another person has changed this draft since you opened it. Your version is not saved; it is stored only in this
          browser.
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
            ? 'This draft has been deleted, in another tab or by a colleague.'
            : 'This campaign has already been sent or scheduled, in another tab or by a colleague.'}{' '}
          What you wrote is stored only in this browser.
        </Banner>
      )}
      {state.is !== 'conflict' && state.is !== 'over' && <KeptBanner saver={saver} kept={kept} />}
      {state.is === 'untouched' && <UnfinishedBanner appId={appId} />}
    </>
  )
}

/** Offers the newest message that this operator has not finished. Those of others are in the list of campaigns. */
function UnfinishedBanner({ appId }: { appId: string }) {
  const { name } = useSession()
  const { data, refetch } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/drafts',
    { params: { path: { appId } } },
    { staleTime: 0, retry: false },
  )
  const [newest] = (data?.items ?? [])
    .filter(({ savedBy }) => savedBy === name)
    .toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))
  if (!newest) return null
  return (
    <Banner
      kind="info"
      action={
        <>
          <ButtonLink to="/apps/$appId/compose/$campaignId" params={{ appId, campaignId: newest.id }}>
            Continue editing
          </ButtonLink>
          <DeleteUnfinished appId={appId} id={newest.id} onDeleted={() => void refetch()} />
        </>
      }
    >
      You have not finished “{newest.name ?? 'Untitled message'}”, which you wrote <Time at={newest.updatedAt} />.
    </Banner>
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
            Continue editing
          </Button>
          <Button variant="quiet" onClick={done}>
            Discard
          </Button>
        </>
      }
    >
      This browser has an unsaved draft, “{nameOf(newest.draft)}”, written <Time at={newest.at} />.
    </Banner>
  )
}

/** Says where the written text is: saved in Herald, being saved, or in this browser only. */
export function SaveLine({ state, onSave }: { state: SaveState; onSave: () => void }) {
  return (
    <p role="status" className="flex items-center gap-2 text-sm text-muted">
      {words(state)}
      {(state.is === 'unreached' || state.is === 'kept' || (state.is === 'noted' && state.message !== undefined)) && (
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
    case 'noted':
      return state.message === undefined
        ? `Saved ${clockTime(state.at)}: not complete yet`
        : `Saved ${clockTime(state.at)}, but it cannot be sent: ${state.message}`
    case 'kept':
      return `Not saved yet; stored only in this browser: ${state.message}`
    case 'unreached':
      return `Not saved yet; stored only in this browser: ${state.message}`
    case 'conflict':
      return 'Not saved: somebody else has changed it'
    case 'over':
      return 'No longer a draft'
  }
}
