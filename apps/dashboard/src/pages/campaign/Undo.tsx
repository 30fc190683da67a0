import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { queryClient } from '../../api/queryClient.ts'
import { useNow } from '../../live/useNow.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import type { Campaign } from './useSend.ts'

const path = '/v1/admin/apps/{appId}/campaigns/{id}'

/** Counts down to a send that waits for its undo, and takes it back: a draft opens in the composer, of a winner the experiment opens. */
export function Undo({ appId, campaign, onDone }: { appId: string; campaign: Campaign; onDone: () => void }) {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const now = useNow(true)
  const seconds = Math.max(0, Math.ceil((Date.parse(campaign.nextAt ?? '') - now) / 1_000))
  const undo = async (): Promise<void> => {
    setBusy(true)
    try {
      const { id } = dataOf(
        await client.POST('/v1/admin/apps/{appId}/campaigns/{id}/unsend', { params: { path: { appId, id: campaign.id } } }),
      )
      announce('Undone: nothing was sent')
      if (id === campaign.id) await navigate({ to: '/apps/$appId/compose/$campaignId', params: { appId, campaignId: id } })
      else {
        // The experiment is read anew: it has no winner any more. The winner's campaign is deleted, so it is not read again.
        await queryClient.invalidateQueries({ queryKey: ['get', path, { params: { path: { appId, id } } }] })
        await navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
      }
    } catch (error) {
      announce(faultOf(error).status === 409 ? 'It has already gone out.' : faultOf(error).message, 'bad')
      onDone()
      setBusy(false)
    }
  }
  return (
    <Banner
      kind="info"
      action={
        <Button needed="send" variant="primary" busy={busy} onClick={() => void undo()}>
          Undo
        </Button>
      }
    >
      {seconds > 0 ? `Goes out in ${seconds} s. Until then nothing is sent.` : 'Going out now.'}
    </Banner>
  )
}
