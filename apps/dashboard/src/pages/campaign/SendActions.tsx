import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { api, client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { equationOf, isOver, stateSentence } from '../../core/progress.ts'
import { isRecallable } from '../../core/recall-words.ts'
import { some } from '../../core/spans.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { DeleteDraft } from './DeleteDraft.tsx'
import type { Campaign, Reading } from './useSend.ts'

// Few sends are recalled, so the code of that dialog is loaded later.
const RecallDialog = lazy(async () => ({ default: (await import('./RecallDialog.tsx')).RecallDialog }))

type Props = { appId: string; campaign: Campaign; reading: Reading; onDone: () => void }
type Action = 'pause' | 'resume' | 'cancel'
const words = {
  pause: { label: 'Pause', asked: 'Pausing…' },
  resume: { label: 'Resume', asked: 'Resuming…' },
  cancel: { label: 'Cancel', asked: 'Cancelling…' },
} as const

/**
 * The buttons that pause, resume, cancel, recall and duplicate a send, and the link that opens a draft in the composer. A button says what was asked until a reading
 * of the send shows that the change has happened.
 */
export function SendActions({ appId, campaign, reading, onDone }: Props) {
  const [confirming, setConfirming] = useState(false)
  const [isRecalling, setRecalling] = useState(false)
  const init = { params: { path: { appId, id: campaign.id } } }
  const pause = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/pause')
  const resume = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/resume')
  const cancel = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/cancel')
  const calls = { pause, resume, cancel }
  const asked = (['cancel', 'pause', 'resume'] as const).find((action) => calls[action].isPending || calls[action].isSuccess)
  const isConfirmed = asked !== undefined && calls[asked].isSuccess && confirms(asked, reading)

  // The mutations are new objects at each render, so they are not among the dependencies.
  useEffect(() => {
    if (!isConfirmed) return
    for (const call of [pause, resume, cancel]) call.reset()
  }, [isConfirmed])

  const ask = async (action: Action) => {
    try {
      await calls[action].mutateAsync(init)
    } finally {
      onDone()
    }
  }
  const start = (action: Action) => void ask(action).catch((error: unknown) => announce(faultOf(error).message, 'bad'))
  // A cancel that comes too late closes the dialog, and a note says what became of the send. The dialog shows any other fault.
  const confirmCancel = () =>
    ask('cancel').catch(async (error: unknown) => {
      if (faultOf(error).status !== 409) throw error
      announce(`Too late to cancel. ${await whatBecame(appId, campaign.id)}`, 'bad')
    })
  const button = (action: Action, onClick: () => void, isDanger = false) => (
    <Button
      needed="send"
      variant={isDanger ? 'danger' : 'secondary'}
      busy={asked === action}
      disabled={asked !== undefined}
      onClick={onClick}
    >
      {asked === action ? words[action].asked : words[action].label}
    </Button>
  )
  const { status, cancelling } = reading
  const isPausable = !cancelling && (status === 'sending' || status === 'active')
  const isResumable = !cancelling && status === 'paused'
  const isCancellable = !cancelling && !isOver(status) && status !== 'draft'
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'draft' && (
        <ButtonLink needed="send" variant="primary" to="/apps/$appId/compose/$campaignId" params={{ appId, campaignId: campaign.id }}>
          Edit and send
        </ButtonLink>
      )}
      {status === 'draft' && <DeleteDraft appId={appId} campaignId={campaign.id} name={campaign.name} />}
      {(isPausable || asked === 'pause') && button('pause', () => start('pause'))}
      {(isResumable || asked === 'resume') && button('resume', () => start('resume'))}
      {isCancellable && button('cancel', () => setConfirming(true), true)}
      {isRecallable({ ...campaign, stats: reading.stats }, Date.now()) && (
        <Button needed="send" onClick={() => setRecalling(true)}>
          Recall
        </Button>
      )}
      {isRecalling && (
        <Suspense>
          <RecallDialog {...{ appId, campaign, reading, onDone }} onClose={() => setRecalling(false)} />
        </Suspense>
      )}
      <Duplicate appId={appId} campaignId={campaign.id} />
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title={`Cancel “${campaign.name}”`}
        action="Cancel this send"
        danger
        onConfirm={confirmCancel}
      >
        <CancelConsequence campaign={campaign} reading={reading} />
      </Confirm>
    </div>
  )
}

/** Says whether a reading shows that the action has happened. */
function confirms(action: Action, { status, cancelling }: Reading): boolean {
  if (isOver(status)) return true
  if (action === 'cancel') return cancelling
  return action === 'pause' ? status === 'paused' : status === 'sending' || status === 'active'
}

/** Reads a campaign and says in a sentence what became of it. */
async function whatBecame(appId: string, id: string): Promise<string> {
  const campaign = dataOf(await client.GET('/v1/admin/apps/{appId}/campaigns/{id}', { params: { path: { appId, id } } }))
  const isRecurring = campaign.schedule?.type === 'recurring' && campaign.recurringOf === null
  const unknown = { fannedOut: undefined, expected: null, heldBecause: null, ratePerSecond: 0, etaSeconds: null }
  return stateSentence({ ...campaign, ...unknown, isRecurring }, Date.now())
}

/** Says what a cancel stops and what it cannot stop. */
function CancelConsequence({ campaign, reading }: { campaign: Campaign; reading: Reading }) {
  if (reading.status === 'scheduled')
    return <p>Nothing has been sent. Once cancelled, it cannot be restarted; duplicate it to send it again.</p>
  if (campaign.schedule?.type === 'recurring' && campaign.recurringOf === null)
    return <p>No further run starts. Runs that have started go on; cancel each on its own page. This cannot be undone.</p>
  const { sent, waiting } = equationOf(reading.stats)
  return (
    <div className="grid gap-2">
      <p>
        {some(sent, 'push has', 'pushes have')} been sent. To remove or replace them, use Recall. {some(waiting, 'push is', 'pushes are')}{' '}
        waiting and will not be sent.
      </p>
      <p>This cannot be undone. To stop it for some days, pause it.</p>
    </div>
  )
}

/** Copies the campaign into a new draft and opens the draft. */
function Duplicate({ appId, campaignId }: { appId: string; campaignId: string }) {
  const navigate = useNavigate()
  const duplicate = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/duplicate')
  const make = async () => {
    try {
      const { id } = await duplicate.mutateAsync({ params: { path: { appId, id: campaignId } } })
      await navigate({ to: '/apps/$appId/compose/$campaignId', params: { appId, campaignId: id } })
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
  }
  return (
    <Button needed="send" variant="quiet" busy={duplicate.isPending} onClick={() => void make()}>
      Duplicate
    </Button>
  )
}
