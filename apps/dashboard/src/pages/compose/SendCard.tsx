import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { api, client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { describeDraftAudience } from '../../core/audience-text.ts'
import { nameOf, type CampaignDraft } from '../../core/campaign-draft.ts'
import type { DraftSaver } from '../../core/draft-saver.ts'
import { approveLabel, sendLabel, whenOf } from '../../core/send-label.ts'
import { reachOf } from '../../core/reach.ts'
import { some } from '../../core/spans.ts'
import { useApp } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { SendSheet, undoSeconds } from '../campaign/SendSheet.tsx'
import type { Campaign } from '../campaign/useSend.ts'
import { readCampaign } from './useDraft.ts'
import type { Report } from './DryRunReport.tsx'

/**
 * The button that sends the draft. It says to how many devices. A draft is sent once: a second click, tab or operator is led to the campaign that the
 * first one began.
 */
export function SendCard({
  appId,
  campaignId,
  draft,
  saver,
  report,
  approval,
}: {
  appId: string
  campaignId: string
  draft: CampaignDraft
  saver: DraftSaver
  report: Report | undefined
  /** What somebody asked for, when the app needs a second person for this send. */
  approval: Campaign['approval']
}) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const content = draft.experiment?.variants[0]?.content ?? draft.content
  const entry = (content.entries.find(({ locale }) => locale === content.fallback) ?? content.entries[0])?.entry
  const reach = report && reachOf(report)
  const devices = reach?.get
  const { data: app } = useApp()
  const segmentId = draft.audience.kind === 'saved' ? draft.audience.segmentId : ''
  const { data: segment } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/segments/{id}',
    { params: { path: { appId, id: segmentId } } },
    { enabled: segmentId !== '', staleTime: 30_000, retry: false },
  )
  const most = app?.settings.approval?.devices
  const asks = approval === null && report !== undefined && most !== undefined && report.audience.devices > most
  const label =
    devices === undefined
      ? 'Counting the devices'
      : asks
        ? `Request approval (${some(devices, 'device', 'devices')})`
        : (approval === null ? sendLabel : approveLabel)(draft.schedule, devices, new Date())
  const title = asks ? `Request approval for “${nameOf(draft)}”?` : `${approval === null ? 'Send' : 'Approve'} “${nameOf(draft)}”?`

  const taken = `${nameOf(draft)} is ${draft.schedule.type === 'now' ? 'being sent' : 'scheduled'}.`

  const open = (word: string) => {
    announce(word)
    void queries.invalidateQueries()
    void navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId } })
  }
  const send = async () => {
    if (!(await saver.saveNow())) throw new Error('The draft has changed and could not be saved. Go back to the message.')
    try {
      const { status } = dataOf(
        await client.POST('/v1/admin/apps/{appId}/campaigns/{id}/send', {
          params: { path: { appId, id: campaignId } },
          body: { delaySeconds: undoSeconds },
        }),
      )
      open(status === 'draft' ? `${nameOf(draft)} is pending approval.` : taken)
    } catch (fault) {
      const { status } = faultOf(fault)
      if (status >= 400 && status < 500 && status !== 409) throw fault
      // After a 409, after a 5xx and without an answer the draft may have been sent. The campaign's status says whether it was.
      const now = await readCampaign(appId, campaignId)
      if (now.status === 'draft') throw fault
      open(status === 409 ? 'This campaign has already been sent or scheduled, in another tab or by a colleague.' : taken)
    }
  }
  return (
    <div className="flex flex-col items-end gap-3">
      <Button
        id="send"
        variant="primary"
        icon={<Send size={14} aria-hidden />}
        disabled={devices === undefined || approval?.byYou === true}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <SendSheet
        open={isAsking}
        onClose={() => setAsking(false)}
        title={title}
        action={label}
        audience={segment?.name ?? describeDraftAudience(draft.audience)}
        devices={devices ?? 'counting'}
        skipped={reach?.skipped}
        when={whenOf(draft.schedule, new Date(), reach?.later)}
        locales={content.entries.map(({ locale }) => locale)}
        text={draft.silent ? null : (entry ?? null)}
        onConfirm={send}
      />
    </div>
  )
}
