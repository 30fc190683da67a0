import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { countText } from '../../core/number.ts'
import type { VariantReading } from '../../core/experiment-reading.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'

type Props = { appId: string; campaignId: string; variant: VariantReading; isLeading: boolean; onDone: () => void }

/** A button that sends a variant to the devices outside the sample. Before it sends, it says how many devices these are. */
export function WinnerButton({ appId, campaignId, variant, isLeading, onDone }: Props) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const pick = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/experiment/winner')
  const send = async () => {
    const { id } = await pick.mutateAsync({ params: { path: { appId, id: campaignId } }, body: { variant: variant.id } })
    onDone()
    await navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
  }
  return (
    <>
      <Button small variant={isLeading ? 'primary' : 'secondary'} onClick={() => setOpen(true)}>
        Send {variant.name} to the rest
      </Button>
      <Confirm open={open} onClose={() => setOpen(false)} title={`Send ${variant.name} to the rest`} action="Send" onConfirm={send}>
        {open && <Remainder appId={appId} campaignId={campaignId} />}
        <p>An experiment has one winner. This cannot be asked for again with another variant.</p>
      </Confirm>
    </>
  )
}

/** Says how many devices the winner would go to. A dry run counts them. */
function Remainder({ appId, campaignId }: { appId: string; campaignId: string }) {
  const { data, error } = api.useQuery(
    'post',
    '/v1/admin/apps/{appId}/dry-run',
    { params: { path: { appId } }, body: { campaignId, samples: { random: 1 } } },
    { staleTime: 60_000, retry: false },
  )
  if (error) return <p>How many devices that is cannot be counted at present.</p>
  if (!data) return <p>Counting whom it goes to…</p>
  const left = data.experiment?.remainder
  return left === undefined ? null : (
    <p>
      It goes to about <strong>{countText(left)}</strong> devices: those outside the sample that match now.
    </p>
  )
}
