import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { describeAudience } from '../../core/audience-text.ts'
import { draftOfContent } from '../../core/content-draft.ts'
import { Button } from '../../ui/Button.tsx'
import { SendSheet, undoSeconds } from './SendSheet.tsx'
import type { Campaign } from './useSend.ts'

type Experiment = NonNullable<Campaign['experiment']>
type WinnerProps = {
  appId: string
  campaignId: string
  experiment: Experiment
  variant: { id: string; name: string }
  isLeading: boolean
  onDone: () => void
}

/** A button that sends a variant to the devices outside the sample. Before it sends, it says how many devices these are. */
export function WinnerButton({ appId, campaignId, experiment, variant, isLeading, onDone }: WinnerProps) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const pick = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/experiment/winner')
  const send = async () => {
    const { id } = await pick.mutateAsync({
      params: { path: { appId, id: campaignId } },
      body: { variant: variant.id, delaySeconds: undoSeconds },
    })
    onDone()
    await navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
  }
  return (
    <>
      <Button needed="send" small variant={isLeading ? 'primary' : 'secondary'} onClick={() => setOpen(true)}>
        Send {variant.name} to the rest
      </Button>
      {open && (
        <WinnerSheet
          {...{ appId, campaignId }}
          sampleRate={experiment.sampleRate}
          content={experiment.variants.find(({ id }) => id === variant.id)?.content}
          name={variant.name}
          onClose={() => setOpen(false)}
          onConfirm={send}
        />
      )}
    </>
  )
}

/** Asks to confirm the send of a winner. A dry run counts the devices that it goes to. */
function WinnerSheet({
  appId,
  campaignId,
  name,
  sampleRate,
  content,
  onClose,
  onConfirm,
}: {
  appId: string
  campaignId: string
  name: string
  sampleRate: number
  content: Experiment['variants'][number]['content'] | undefined
  onClose: () => void
  onConfirm: () => Promise<unknown>
}) {
  const { data, error } = api.useQuery(
    'post',
    '/v1/admin/apps/{appId}/dry-run',
    { params: { path: { appId } }, body: { campaignId } },
    // A gateway runs one dry run of an app at a time, and refuses a further one with 429.
    { staleTime: 60_000, retry: (count, fault) => count < 5 && faultOf(fault).status === 429, retryDelay: 2_000 },
  )
  const draft = content && draftOfContent(content)
  const entry = draft?.entries.find(({ locale }) => locale === draft.fallback)?.entry
  return (
    <SendSheet
      open
      onClose={onClose}
      title={`Send ${name} to the rest?`}
      action="Send"
      audience={describeAudience({ kind: 'remainder', of: campaignId, sampleRate })}
      devices={data?.experiment?.remainder ?? (data || error ? 'unknown' : 'counting')}
      when="Now"
      locales={draft?.entries.map(({ locale }) => locale) ?? []}
      text={entry ?? null}
      onConfirm={onConfirm}
    >
      <p className="mt-3 text-muted">
        {error ? 'The devices cannot be counted at present. ' : ''}An A/B test has one winner. Once it is sent, no other can be picked.
      </p>
    </SendSheet>
  )
}
